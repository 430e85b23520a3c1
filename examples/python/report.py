from dataclasses import dataclass
from pintle import tool
from pintle.sync import run
@dataclass
class Defect:
    file: str
    line: int
@tool(read_only=True)
def owner(path: str) -> str:
    """Team that owns a file"""
    return f"{path}: core team"
result = run("Report the worst defect in src/.", tools=[owner], permissions="ask", budget={"costUsd": 0.5, "turns": 20},
             no_session=True, on_approval=lambda request: "deny", output_schema=Defect)
print(result.status, result.output.line if result.output else result.ended_by, result.cost)
