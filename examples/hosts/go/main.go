// A host in Go without a client library: starts `pintle --mode rpc`, offers a tool, sends one prompt with a schema, and prints the output.
// Every line in both directions is one JSON object.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

type frame map[string]interface{}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	args := append([]string{"--mode", "rpc", "--no-session", "--permissions", "ask"}, os.Args[1:]...)
	command := exec.Command("pintle", args...)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	// Closing stdin ends the program.
	defer command.Wait()
	defer input.Close()

	encoder := json.NewEncoder(input)
	reader := bufio.NewReaderSize(output, 1<<20)
	for {
		line, err := reader.ReadBytes('\n') // a Scanner would give up on long lines
		if err != nil {
			return fmt.Errorf("pintle has ended: %w", err)
		}
		var message frame
		if err := json.Unmarshal(line, &message); err != nil {
			return err
		}
		isOver, err := handle(message, encoder.Encode)
		if isOver || err != nil {
			return err
		}
	}
}

func handle(message frame, send func(interface{}) error) (bool, error) {
	switch message["type"] {
	case "ready":
		if err := send(frame{"id": "1", "type": "set_host_tools", "tools": []frame{{
			"name": "owner", "description": "Team that owns a file", "annotations": frame{"readOnlyHint": true},
			"parameters": frame{"type": "object", "properties": frame{"path": frame{"type": "string"}}, "required": []string{"path"}},
		}}}); err != nil {
			return false, err
		}
		return false, send(frame{"id": "2", "type": "prompt", "message": "Who owns a.txt?", "timeoutMs": 600000,
			"outputSchema": frame{"type": "object", "properties": frame{"owner": frame{"type": "string"}}, "required": []string{"owner"}}})
	case "response":
		if message["success"] == false {
			return false, fmt.Errorf("%v: %v", message["command"], message["error"])
		}
	case "host_tool_call":
		path := message["arguments"].(map[string]interface{})["path"]
		text := fmt.Sprintf("%v belongs to the core team", path)
		content := []frame{{"type": "text", "text": text}}
		return false, send(frame{"type": "host_tool_result", "id": message["id"], "result": frame{"content": content}})
	case "prompt_result":
		if message["status"] != "completed" {
			return false, fmt.Errorf("the run ended with %v: %v", message["endedBy"], message["error"])
		}
		result, err := json.Marshal(frame{"output": message["output"], "cost": message["cost"]})
		fmt.Println(string(result))
		return true, err
	}
	return false, nil
}
