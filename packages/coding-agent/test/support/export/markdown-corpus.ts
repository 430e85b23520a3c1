/** Unusual and broken Markdown, as models write it: a name and the text. */
export const CORPUS: readonly (readonly [name: string, text: string])[] = [
  [
    "nested lists",
    "1. first\n   - a\n     - b\n       1. c\n          - d\n\n            with a second paragraph\n2. second\n\n   ```sh\n   echo in a list\n   ```\n3. third\n   > quoted in a list\n\n* star\n+ plus\n- minus\n\n10. ten\n11. eleven",
  ],
  ["tasks", "- [x] done\n- [ ] open\n  - [x] inner with `code`\n- [ ] **bold** task\n- plain among tasks"],
  [
    "wide table",
    `| ${Array.from({ length: 14 }, (_, at) => `column ${at}`).join(" | ")} |\n|${" --- |".repeat(14)}\n| ${Array.from({ length: 14 }, (_, at) => `a cell with some words ${at}`).join(" | ")} |`,
  ],
  [
    "table with everything",
    "| left | middle | right |\n|:--|:-:|--:|\n| `a|b` | **bold** | 1 |\n| a \\| b | [link](https://example.com) | 1000 |\n| short |\n| too | many | cells | here |\n| | | |\n| a_very_long_name_without_a_place_to_break_in_it_because_it_is_an_identifier | x | y |",
  ],
  ["table without rows", "| a | b |\n|---|---|\n\nand text"],
  ["long code line", `\`\`\`js\nconst a = "${"abcdefghij ".repeat(60)}";\n${"x".repeat(3000)}\n\`\`\``],
  ["unclosed fence", "Before.\n\n```python\ndef f():\n    return 1\n\n# not a heading\n- not a list"],
  [
    "fences in fences",
    "````md\n```js\ninner\n```\n````\n\n~~~\ntilde ``` inside\n~~~\n\n```js title=x {1,2}\na()\n```",
  ],
  ["very long word", `${"pneumono".repeat(80)} and https://example.com/${"path/".repeat(80)}?q=${"1".repeat(200)}`],
  [
    "right to left",
    "مرحبا بالعالم، هذا نص عربي مع `code` و **تأكيد**.\n\n- عنصر أول\n- عنصر ثان\n\n> اقتباس\n\n| أ | ب |\n|---|---|\n| ١ | ٢ |\n\n```js\nconst שלום = 1;\n```\n\nEnglish again, with שלום inside.",
  ],
  [
    "headings",
    "# One\n## Two\n### Three\n#### Four\n##### Five\n###### Six\n####### seven is text\n#no space\n\nSetext\n======\n\nSmaller\n-------",
  ],
  [
    "emphasis",
    "***both*** **bold*mixed*bold** _under_ __strong__ snake_case_word 2*3*4 **open *and ~~gone~~ `code **not bold**` \\*escaped\\* a*b*c",
  ],
  ["quotes", "> one\n> > two\n> > > three with `code`\n>\n> - list\n>\n> ```\n> code\n> ```\n\nlazy\n> after"],
  ["HTML", "<details><summary>x</summary>hidden</details>\n\n<b>bold?</b> <br> &amp; &lt; &copy;\n\n<!-- comment -->"],
  ["rules and breaks", "above\n\n---\n\n***\n\n___\n\nhard  \nbreak\nsoft\nbreak\\\nslash"],
  [
    "links",
    '[text](https://example.com "title") <https://example.com/a_b> https://example.com/a_(b). [ref][1] [empty]() ![image](https://example.com/i.png) [in page](#entry-1) [mail](mailto:a@example.com) [bad](file:///etc/passwd)\n\n[1]: https://example.com/ref',
  ],
  ["emoji and wide characters", "👩‍👩‍👧‍👦 🇳🇴 漢字かな交じり文 é e\u0301 ﷽ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 `📁 src/` ½"],
  ["mathematics and footnotes", "Energy $E = mc^2$ and $$\\int_0^1 x\\,dx$$ with a note[^1].\n\n[^1]: The note."],
  ["empty", " \n\n\t\n"],
  ["indented code", "Text:\n\n    indented code\n\tand a tab\n\n  two spaces are text"],
];
