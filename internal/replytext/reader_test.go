package replytext

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestReader(t *testing.T) {
	for name, test := range map[string]struct{ reply, text, thoughts, call string }{
		"plain":             {"Rome is warm.", "Rome is warm.", "", ""},
		"think":             {"<think>is it?</think>\n\nYes.", "Yes.", "is it?", ""},
		"capitals":          {"<Think>is it?</THINK>Yes.", "Yes.", "is it?", ""},
		"no opening":        {"is it?\n</think>\n\nYes.", "Yes.", "is it?", ""},
		"no line":           {"Is it? It is.</think>Yes.", "Yes.", "Is it? It is.", ""},
		"a space":           {"Is it? It is.</think> Yes.", "Yes.", "Is it? It is.", ""},
		"a title":           {"Is it? It is.</think># Yes", "# Yes", "Is it? It is.", ""},
		"a quoted tag":      {"It writes \"It is.</think>\", then Yes.", "It writes \"It is.</think>\", then Yes.", "", ""},
		"a tag after a dot": {"They end with .</think>, then Yes.", "They end with .</think>, then Yes.", "", ""},
		"not closed":        {"<think>is it? Yes.", "", "is it? Yes.", ""},
		"empty":             {"<think>\n\n</think>\n\nYes.", "Yes.", "", ""},
		"twice":             {"<think>a</think><think>b</think>Yes.", "Yes.", "a\nb", ""},
		"between":           {"First.\n<think>b</think>\nThen.", "First.\n\nThen.", "b", ""},
		"thinking":          {"<thinking>a</thinking>Yes.", "Yes.", "a", ""},
		"thought":           {"<thought>a</thought>Yes.", "Yes.", "a", ""},
		"reasoning":         {"<reasoning>a</reasoning>Yes.", "Yes.", "a", ""},
		"Mistral":           {"[THINK]a[/THINK]Yes.", "Yes.", "a", ""},
		"Kimi":              {"◁think▷a◁/think▷Yes.", "Yes.", "a", ""},
		"Seed":              {"<seed:think>a</seed:think>Yes.", "Yes.", "a", ""},
		"Cohere":            {"<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>", "Yes.", "a", ""},
		"Gemma":             {"<|channel>thought\na<channel|>Yes.", "Yes.", "a", ""},
		"harmony":           {"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>", "Yes.", "a", ""},
		"harmony, final":    {"<|channel|>final<|message|>Yes.", "Yes.", "", ""},
		"other tags":        {"<b>Yes</b> </p> [x] <thin>", "<b>Yes</b> </p> [x] <thin>", "", ""},
		"about tags":        {"Write `<think>` and `</think>` around thoughts.", "Write `<think>` and `</think>` around thoughts.", "", ""},
		"tags in a block":   {"So:\n```\n<think>\nx\n</think>\n```\nEnd.", "So:\n```\n<think>\nx\n</think>\n```\nEnd.", "", ""},
		"after a block":     {"So:\n```\nx\n```\n<tool_call>\n{}</tool_call>", "So:\n```\nx\n```\n", "", "<tool_call>\n{}</tool_call>"},
		"tag in a sentence": {"The <think> tag begins thoughts, the <tool_call> tag a call.", "The <think> tag begins thoughts, the <tool_call> tag a call.", "", ""},
		"tag in JSON":       {`{"a":"x</think>y"}`, `{"a":"x</think>y"}`, "", ""},
		"umlauts":           {"Müller ist größer als 5 €.", "Müller ist größer als 5 €.", "", ""},
		"cut rune":          {"5 \xe2\x82", "5 \ufffd", "", ""},

		"Hermes":                       {"I will look.\n<tool_call>\n{\"name\":\"f\"}\n</tool_call>", "I will look.\n", "", "<tool_call>\n{\"name\":\"f\"}\n</tool_call>"},
		"in the line":                  {"I will look. <tool_call>{\"name\":\"f\"}</tool_call>", "I will look. ", "", "<tool_call>{\"name\":\"f\"}</tool_call>"},
		"after thoughts":               {"<think>a</think>\n<tool_call>{}", "", "a", "<tool_call>{}"},
		"Llama":                        {`<|python_tag|>{"name":"temperature","parameters":{}}`, "", "", `<|python_tag|>{"name":"temperature","parameters":{}}`},
		"function":                     {"<function=temperature>{\"city\":\"Rome\"}</function>", "", "", "<function=temperature>{\"city\":\"Rome\"}</function>"},
		"Mistral call":                 {`Yes. [TOOL_CALLS]temperature{"city":"Rome"}`, "Yes. ", "", `[TOOL_CALLS]temperature{"city":"Rome"}`},
		"DeepSeek":                     {"<｜tool▁calls▁begin｜>x", "", "", "<｜tool▁calls▁begin｜>x"},
		"DSML":                         {"<｜DSML｜function_calls>x", "", "", "<｜DSML｜function_calls>x"},
		"Kimi call":                    {"<|tool_calls_section_begin|>x", "", "", "<|tool_calls_section_begin|>x"},
		"harmony call":                 {`<|channel|>commentary to=functions.temperature <|constrain|>json<|message|>{}`, "", "", `<|channel|>commentary to=functions.temperature <|constrain|>json<|message|>{}`},
		"JSON call":                    {`{"name":"temperature","arguments":{"city":"Rome"}}`, "", "", `{"name":"temperature","arguments":{"city":"Rome"}}`},
		"JSON, parameters":             {`{"type":"function","name":"temperature","parameters":{"city":"Rome"}}`, "", "", `{"type":"function","name":"temperature","parameters":{"city":"Rome"}}`},
		"JSON, tool":                   {`{"tool":"temperature","tool_input":{}}`, "", "", `{"tool":"temperature","tool_input":{}}`},
		"JSON, function":               {`{"function":{"name":"temperature","arguments":"{}"}}`, "", "", `{"function":{"name":"temperature","arguments":"{}"}}`},
		"JSON, beside":                 {`{"type":"function","function":{"name":"temperature"},"parameters":{}}`, "", "", `{"type":"function","function":{"name":"temperature"},"parameters":{}}`},
		"list of tools":                {"So:\n<tools>\n{\"type\":\"function\"", "So:\n", "", "<tools>\n{\"type\":\"function\""},
		"JSON list":                    {`[{"name":"temperature","arguments":{}}]`, "", "", `[{"name":"temperature","arguments":{}}]`},
		"JSON block":                   {"```json\n{\"name\":\"temperature\",\"arguments\":{}}\n```", "", "", "```json\n{\"name\":\"temperature\",\"arguments\":{}}\n```"},
		"pythonic":                     {`[temperature(city="Rome")]`, "", "", `[temperature(city="Rome")]`},
		"tool code":                    {"```tool_code\nprint(temperature(\"Rome\"))\n```", "", "", "```tool_code\nprint(temperature(\"Rome\"))\n```"},
		"tag of the tool":              {"<temperature><city>Rome</city></temperature>", "", "", "<temperature><city>Rome</city></temperature>"},
		"late, ReAct":                  {"Thought: look.\nAction: temperature\nAction Input: {}", "", "", "Thought: look.\nAction: temperature\nAction Input: {}"},
		"JSON answer":                  {`{"name":"Rome","degrees":4}`, `{"name":"Rome","degrees":4}`, "", ""},
		"JSON of no tool":              {`{"name":"rain","arguments":{}}`, `{"name":"rain","arguments":{}}`, "", ""},
		"about the tool":               {"I called temperature for Rome (see above).", "I called temperature for Rome (see above).", "", ""},
		"function of the data":         {"temperature(Rome) is 4.", "temperature(Rome) is 4.", "", ""},
		"the tool (a word)":            {"temperature (in Rome) is 4 (mean)", "temperature (in Rome) is 4 (mean)", "", ""},
		"pair in a line":               {"Result: <reasoning>a</reasoning> Yes.", "Result: <reasoning>a</reasoning> Yes.", "", ""},
		"a list":                       {"[1, 2] are the ids.", "[1, 2] are the ids.", "", ""},
		"closing tag in a sentence":    {"Thoughts end with the </think> tag, and the answer follows.", "Thoughts end with the </think> tag, and the answer follows.", "", ""},
		"closing tag at its end":       {"Thoughts end with </think>.", "Thoughts end with </think>.", "", ""},
		"closing tag in JSON":          {`It is {"a":"x</think>y"}.`, `It is {"a":"x</think>y"}.`, "", ""},
		"tag, not closed":              {"The tags are these.\n<think> begins thoughts.\nThe rest is the answer.", "The tags are these.\n<think> begins thoughts.\nThe rest is the answer.", "", ""},
		"element of XML":               {"The file:\n<reasoning>\n  <effort>high</effort>\n</reasoning>\nEnd.", "The file:\n<reasoning>\n  <effort>high</effort>\n</reasoning>\nEnd.", "", ""},
		"analysis in XML":              {"<report>\n<analysis>\n5\n</analysis>\n</report>", "<report>\n<analysis>\n5\n</analysis>\n</report>", "", ""},
		"two backquotes":               {"Write ``</think>`` after it.", "Write ``</think>`` after it.", "", ""},
		"four backquotes":              {"So:\n````\n<think>\n```\n</think>\n````\nEnd.", "So:\n````\n<think>\n```\n</think>\n````\nEnd.", "", ""},
		"tildes":                       {"So:\n~~~xml\n<think>\nx\n</think>\n~~~\nEnd.", "So:\n~~~xml\n<think>\nx\n</think>\n~~~\nEnd.", "", ""},
		"indented code":                {"So:\n\n    <think>\n    </think>\n\nEnd.", "So:\n\n    <think>\n    </think>\n\nEnd.", "", ""},
		"code in a line":               {"```x```\n<think>a</think>\nb", "```x```\n\nb", "a", ""},
		"token in a sentence":          {"The token <|end|> ends a turn, and <|return|> a reply.", "The token <|end|> ends a turn, and <|return|> a reply.", "", ""},
		"call mark in a sentence":      {"The mark [TOOL_CALLS] begins calls, <|python_tag|> does too.", "The mark [TOOL_CALLS] begins calls, <|python_tag|> does too.", "", ""},
		"call mark in a list":          {"<tool_call> begins a call.\n<tools> begins a list.\n[TOOL_CALLS] is another.", "<tool_call> begins a call.\n<tools> begins a list.\n[TOOL_CALLS] is another.", "", ""},
		"tools in XML":                 {"The file:\n<tools>\n  <hammer/>\n</tools>", "The file:\n<tools>\n  <hammer/>\n</tools>", "", ""},
		"a call explained":             {"Write\n<tool_call>\n{\"name\":\"rain\"}\n</tool_call>\nand the server reads it.", "Write\n<tool_call>\n{\"name\":\"rain\"}\n</tool_call>\nand the server reads it.", "", ""},
		"a call and its result":        {"<tool_call>\n{\"name\":\"temperature\"}\n</tool_call>\nIt is 4 degrees.", "", "", "<tool_call>\n{\"name\":\"temperature\"}\n</tool_call>\nIt is 4 degrees."},
		"a call that is cut off":       {"<tool_call>\n{\"name\":\"rain\",\"q\":\"how warm is", "", "", "<tool_call>\n{\"name\":\"rain\",\"q\":\"how warm is"},
		"a name after a space":         {"<tool_call> temperature\n<arg>", "", "", "<tool_call> temperature\n<arg>"},
		"JSON in a sentence":           {`I called {"name":"temperature","arguments":{"city":"Rome"}} and got 4.`, `I called {"name":"temperature","arguments":{"city":"Rome"}} and got 4.`, "", ""},
		"JSON block in a text":         {"I called\n```json\n{\"name\":\"temperature\",\"arguments\":{}}\n```\nand got 4.", "I called\n```json\n{\"name\":\"temperature\",\"arguments\":{}}\n```\nand got 4.", "", ""},
		"JSON and a result":            {"{\"name\":\"temperature\",\"arguments\":{}}\n\nIt is 4.", "", "", "{\"name\":\"temperature\",\"arguments\":{}}\n\nIt is 4."},
		"two JSON calls":               {`{"name":"temperature","arguments":{}}; {"name":"f","arguments":{}}`, "", "", `{"name":"temperature","arguments":{}}; {"name":"f","arguments":{}}`},
		"a formula":                    {"temperature(Rome) is 4 (mean)", "temperature(Rome) is 4 (mean)", "", ""},
		"two calls in code":            {`[temperature(city="(Rome"), f(1)]`, "", "", `[temperature(city="(Rome"), f(1)]`},
		"name of a function":           {"functions.temperature returned 4.", "functions.temperature returned 4.", "", ""},
		"function with arguments":      {`functions.temperature:0{"city":"Rome"}`, "", "", `functions.temperature:0{"city":"Rome"}`},
		"only the name is left":        {`temperature{"city":"Rome"}`, "", "", `temperature{"city":"Rome"}`},
		"Mistral without its mark":     {`temperature[ARGS]{"city":"Rome"}`, "", "", `temperature[ARGS]{"city":"Rome"}`},
		"DeepSeek without its mark":    {"function<｜tool▁sep｜>temperature\n```json\n{}\n```", "function", "", "<｜tool▁sep｜>temperature\n```json\n{}\n```"},
		"another list of calls":        {`{"toolcalls":[{"name":"temperature","arguments":{}}]}`, "", "", `{"toolcalls":[{"name":"temperature","arguments":{}}]}`},
		"one call in an object":        {`{"tool_call":{"name":"temperature","arguments":{}}}`, "", "", `{"tool_call":{"name":"temperature","arguments":{}}}`},
		"parameters in tags":           {"<function=temperature>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>", "", "", "<function=temperature>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>"},
		"GLM":                          {"<tool_call>temperature\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n</tool_call>", "", "", "<tool_call>temperature\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n</tool_call>"},
		"Nemotron":                     {`<TOOLCALL>[{"name":"temperature","arguments":{}}]</TOOLCALL>`, "", "", `<TOOLCALL>[{"name":"temperature","arguments":{}}]</TOOLCALL>`},
		"a set of numbers":             {"temperature{mean} is 4.", "temperature{mean} is 4.", "", ""},
		"a list of calls that were":    {`{"recall":[{"name":"Rome","value":4}]}`, `{"recall":[{"name":"Rome","value":4}]}`, "", ""},
		"tag of a value":               {"<temperature>4</temperature> is the value.", "<temperature>4</temperature> is the value.", "", ""},
		"ReAct in a table":             {"| step | text |\n|---|---|\n| 1 | Action: temperature |\n| 2 | Action Input: {} |", "| step | text |\n|---|---|\n| 1 | Action: temperature |\n| 2 | Action Input: {} |", "", ""},
		"ReAct in a block":             {"The prompt has\n```\nAction: temperature\nAction Input: {}\n```\nas an example.", "The prompt has\n```\nAction: temperature\nAction Input: {}\n```\nas an example.", "", ""},
		"MedGemma":                     {"<unused94>thought\na<unused95>Yes.", "Yes.", "a", ""},
		"MiniMax":                      {"<mm:think>a</mm:think>Yes.", "Yes.", "a", ""},
		"OpenThoughts":                 {"<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>Yes.<|end_of_solution|>", "Yes.", "a", ""},
		"scratchpad":                   {"<scratchpad>a</scratchpad>Yes.", "Yes.", "a", ""},
		"details of thoughts":          {"<details type=\"reasoning\">\n> a\n</details>\nYes.", "Yes.", ">\n> a", ""},
		"details of an answer":         {"<details>\n<summary>More</summary>\nYes.\n</details>", "<details>\n<summary>More</summary>\nYes.\n</details>", "", ""},
		"end of the turn":              {"Yes.<|im_end|>", "Yes.", "", ""},
		"the next turn":                {"Yes.<|eot_id|>\n<|start_header_id|>user<|end_header_id|>\n\nAnd Paris?", "Yes.", "", ""},
		"a turn as in its template":    {"<|im_start|>assistant\nYes.<|im_end|>\n", "Yes.", "", ""},
		"about the end of a turn":      {"The token <|im_end|> ends a turn; `<end_of_turn>` too.", "The token <|im_end|> ends a turn; `<end_of_turn>` too.", "", ""},
		"end of a turn in code":        {"```\nYes.<|im_end|>\n```\nis the template.", "```\nYes.<|im_end|>\n```\nis the template.", "", ""},
		"ReAct, a call":                {"Action: temperature(city=\"Rome\")", "", "", "Action: temperature(city=\"Rome\")"},
		"tool and its arguments":       {`{"tool_name":"temperature","tool_args":{"city":"Rome"}}`, "", "", `{"tool_name":"temperature","tool_args":{"city":"Rome"}}`},
		"recipient":                    {`{"tool_uses":[{"recipient_name":"functions.temperature","parameters":{}}]}`, "", "", `{"tool_uses":[{"recipient_name":"functions.temperature","parameters":{}}]}`},
		"a dictionary of Python":       {`{'name': 'temperature', 'arguments': {'city': 'Rome'}}`, "", "", `{'name': 'temperature', 'arguments': {'city': 'Rome'}}`},
		"a dictionary of values":       {`{'name': 'temperature', 'value': 4}`, `{'name': 'temperature', 'value': 4}`, "", ""},
		"attributes":                   {`<temperature city="Rome"/>`, "", "", `<temperature city="Rome"/>`},
		"tool in a tag":                {`<tool name="temperature">{"city":"Rome"}</tool>`, "", "", `<tool name="temperature">{"city":"Rome"}</tool>`},
		"StepFun":                      {`<steptml:invoke name="temperature"></steptml:invoke>`, "", "", `<steptml:invoke name="temperature"></steptml:invoke>`},
		"Apertus":                      {`<|tools_prefix|>[{"temperature": {}}]<|tools_suffix|>`, "", "", `<|tools_prefix|>[{"temperature": {}}]<|tools_suffix|>`},
		"DeepSeek in ASCII":            {"<|tool▁calls▁begin|>temperature", "", "", "<|tool▁calls▁begin|>temperature"},
		"Qwen 2":                       {"✿FUNCTION✿: temperature\n✿ARGS✿: {}", "", "", "✿FUNCTION✿: temperature\n✿ARGS✿: {}"},
		"Harmony, code":                {"to=functions.temperature code\n{}", "", "", "to=functions.temperature code\n{}"},
		"a whole reply of OpenAI":      {`{"tool_calls":[{"type":"function","function":{"name":"temperature","arguments":"{}"}}]}`, "", "", `{"tool_calls":[{"type":"function","function":{"name":"temperature","arguments":"{}"}}]}`},
		"an object of that name":       {`{"temperature": {"Rome": 4}}`, `{"temperature": {"Rome": 4}}`, "", ""},
		"an answer in a tag":           {"<think>a</think>\n<answer>\nThe sum.\n</answer>", "The sum.\n", "a", ""},
		"an answer in another tag":     {"a</think>\n<response>The sum.</response>", "The sum.", "a", ""},
		"a tag of an answer":           {"<answer>The sum.</answer>", "<answer>The sum.</answer>", "", ""},
		"such a tag in an answer":      {"<think>a</think>Write <answer>5</answer>.", "Write <answer>5</answer>.", "a", ""},
		"Harmony without marks":        {"analysisI add.assistantfinalThe sum.", "The sum.", "analysisI add.", ""},
		"XML":                          {"<think>a</think><response>\n<ok/>\n</response>", "<response>\n<ok/>\n</response>", "a", ""},
		"a tag in such a tag":          {"<think>a</think><answer>It is <answer>5</answer> here.</answer>", "It is <answer>5</answer> here.", "a", ""},
		"a name like that":             {"The column assistantFinalGrade has marks.", "The column assistantFinalGrade has marks.", "", ""},
		"names like that":              {"Tables:\nassistantanalysis\nassistantfinal", "Tables:\nassistantanalysis\nassistantfinal", "", ""},
		"a name at the beginning":      {"assistantanalysis has 5 rows.", "assistantanalysis has 5 rows.", "", ""},
		"a name after a title":         {"Analysis\nassistantfinal has 5 rows.", "Analysis\nassistantfinal has 5 rows.", "", ""},
		"such a word":                  {"The word assistantfinal is a mark.", "The word assistantfinal is a mark.", "", ""},
		"a call without marks":         {"analysisI look.assistantcommentary to=functions.temperature json{}", "analysisI look.", "", "assistantcommentary to=functions.temperature json{}"},
		"Apertus, thoughts":            {"<|inner_prefix|>a<|inner_suffix|>The sum.", "The sum.", "a", ""},
		"Apriel":                       {"Here are my reasoning steps:\na\n[BEGIN FINAL RESPONSE]\nThe sum.\n[END FINAL RESPONSE]", "The sum.\n", "Here are my reasoning steps:\na", ""},
		"the words of Apriel":          {"Here are my reasoning steps:\na", "Here are my reasoning steps:\na", "", ""},
		"the next turn, of a tool":     {"It is warm.\n<tool_response>\n{\"degrees\":40}\n</tool_response>\nIt is 40.", "It is warm.\n", "", ""},
		"such a turn in a line":        {"Qwen reads <tool_response>{}</tool_response>.", "Qwen reads <tool_response>{}</tool_response>.", "", ""},
		"the mark of that turn":        {"Tools answer in <tool_response> tags.", "Tools answer in <tool_response> tags.", "", ""},
		"another thing in a tag":       {`<tool name="hammer">1</tool>`, `<tool name="hammer">1</tool>`, "", ""},
		"a value with a unit":          {`<temperature unit="C">4</temperature> is the value.`, `<temperature unit="C">4</temperature> is the value.`, "", ""},
		"FunctionGemma":                {"call:temperature{city:<escape>Rome<escape>}", "", "", "call:temperature{city:<escape>Rome<escape>}"},
		"a colon":                      {`temperature: {"city":"Rome"}`, "", "", `temperature: {"city":"Rome"}`},
		"a value after a colon":        {"temperature: 4 degrees", "temperature: 4 degrees", "", ""},
		"Kimi K3":                      {`<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>Yes.<|close|>response<|sep|>`, "Yes.", "a", ""},
		"Kimi K3, a call":              {`<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="temperature" index="1"<|sep|>`, "", "", `<|open|>tools<|sep|><|open|>call tool="temperature" index="1"<|sep|>`},
		"Muse":                         {"to=self<|message|>a<|eom|><|start|>assistant to=user<|message|>Yes.<|eot|>", "Yes.", "a", ""},
		"Muse, a call":                 {"to=self<|message|>a<|eom|><|start|>assistant to=temperature<|message|><x>", "", "a", "<|start|>assistant to=temperature<|message|><x>"},
		"Solar":                        {"<|think|>a<|end|><|begin|>assistant<|content|>Yes.<|end|>", "Yes.", "a", ""},
		"Solar, a call":                {"<|begin|>assistant<|tool_calls|><|tool_call:begin|>x", "", "", "<|tool_calls|><|tool_call:begin|>x"},
		"GigaChat":                     {`<|function_call|>{"name":"temperature"}`, "", "", `<|function_call|>{"name":"temperature"}`},
		"Llama 4":                      {`<|python_start|>[temperature(city="Rome")]<|python_end|>`, "", "", `<|python_start|>[temperature(city="Rome")]<|python_end|>`},
		"DeepSeek, other spellings":    {"<｜tool_calls_begin｜>x", "", "", "<｜tool_calls_begin｜>x"},
		"DeepSeek, with spaces":        {"<｜tool calls begin｜>x", "", "", "<｜tool calls begin｜>x"},
		"harmony without an end":       {"<|channel|>analysis<|message|>a<|start|>assistant<|channel|>final<|message|>Yes.<|end|>", "Yes.", "a", ""},
		"harmony, thoughts at the end": {"<|channel|>final<|message|>Yes.<|end|><|start|>assistant<|channel|>analysis<|message|>a", "Yes.", "a", ""},
		"harmony, JSON":                {`<|channel|>final <|constrain|>json<|message|>{"a":1}`, `{"a":1}`, "", ""},
		"the token of a user":          {"Yes.<|end|>\n<|user|>\nAnd Paris?", "Yes.\n", "", ""},
		"the token of a result":        {"Yes.<|observation|>\n{}", "Yes.", "", ""},
		"another end of a turn":        {"Yes.<|eot|>", "Yes.", "", ""},
		"the end of a role":            {"<|start_of_role|>assistant<|end_of_role|>Yes.<|end_of_text|>", "Yes.", "", ""},
		"a header":                     {"<|start_header_id|>assistant<|end_header_id|>\n\nYes.", "Yes.", "", ""},
		"the beginning of a turn":      {"<start_of_turn>model\nYes.<end_of_turn>", "Yes.", "", ""},
		"the beginning of a text":      {"<｜begin▁of▁sentence｜>Yes.", "Yes.", "", ""},
		"a box":                        {"It is <|begin_of_box|>42<|end_of_box|>.", "It is 42.", "", ""},
		"struck out, several":          {"It was <s>9</s><s>8</s>\n7, </s>", "It was <s>9</s><s>8</s>\n7, </s>", "", ""},
		"tokens in a sentence":         {"The template has <|user|> and <|assistant|>, and <eos> at its end.", "The template has <|user|> and <|assistant|>, and <eos> at its end.", "", ""},
		"a list of tokens":             {"Tokens:\n<|user|>\n<|assistant|>\n- <|eot|>\n- <|tool_call|>\nend.", "Tokens:\n<|user|>\n<|assistant|>\n- <|eot|>\n- <|tool_call|>\nend.", "", ""},
		"tokens of a table":            {"| token | use |\n|---|---|\n| <|user|> | a turn |\n| <|end|> | its end |\n", "| token | use |\n|---|---|\n| <|user|> | a turn |\n| <|end|> | its end |\n", "", ""},
		"other delimiters":             {"A row is <|x|>a<|>b<|COMPLETE|>.", "A row is <|x|>a<|>b<|COMPLETE|>.", "", ""},
		"names in such brackets":       {"Dear <|customer|>, <|transaction|>x is <|recall|>y.", "Dear <|customer|>, <|transaction|>x is <|recall|>y.", "", ""},
		"values that are tokens":       {"The values are <|user|> (12), <|end|> (9) and a<|sep|>b:\n<|user|>\n", "The values are <|user|> (12), <|end|> (9) and a<|sep|>b:\n<|user|>\n", "", ""},
		"Llama, Cohere and Doubao":     {"<|FunctionCallBegin|>[{}]", "", "", "<|FunctionCallBegin|>[{}]"},
		"Cohere, a call":               {"<|START_ACTION|>[{}]", "", "", "<|START_ACTION|>[{}]"},
		"an end after a quote":         {"She said \"yes\"<|im_end|>", "She said \"yes\"", "", ""},
		"an end after bold":            {"It is **4**<|im_end|>\n", "It is **4**", "", ""},
		"an end after HTML":            {"<b>4</b><|im_end|>", "<b>4</b>", "", ""},
		"nothing but an end":           {"<|im_end|>", "", "", ""},
		"an end after a space":         {"Yes. <|im_end|>", "Yes. ", "", ""},
		"struck out":                   {"It costs <s>9</s> 8, was <s>10</s>", "It costs <s>9</s> 8, was <s>10</s>", "", ""},
		"the end of a text, a word":    {"The token </s> ends a text.", "The token </s> ends a text.", "", ""},
		"struck out, an attribute":     {"<s class=\"old\">9</s>8 <S>7</S>6", "<s class=\"old\">9</s>8 <S>7</S>6", "", ""},
		"tokens with numbers":          {"These end a turn:\n\n1. <|im_end|>\n2. </s>\n\nBoth do.", "These end a turn:\n\n1. <|im_end|>\n2. </s>\n\nBoth do.", "", ""},
		"tokens in other quotes":       {"Le jeton «</s>» et 「<|im_end|>」は終わり。", "Le jeton «</s>» et 「<|im_end|>」は終わり。", "", ""},
		"a token without spaces":       {"模型用<|im_end|>结束一轮。", "模型用<|im_end|>结束一轮。", "", ""},
		"an end without spaces":        {"完成了。<|im_end|>用户", "完成了。", "", ""},
		"an end before another turn":   {"It is done. <|im_end|>\nMore", "It is done. ", "", ""},
		"a recipient":                  {"The mail had the header to=user@x.y today.", "The mail had the header to=user@x.y today.", "", ""},
		"LM Studio":                    {`[TOOL_REQUEST]{"name":"temperature","arguments":{}}[END_TOOL_REQUEST]`, "", "", `[TOOL_REQUEST]{"name":"temperature","arguments":{}}[END_TOOL_REQUEST]`},
		"late, a function with a name": {`<function name="temperature"><param name="city">Rome</param></function>`, "", "", `<function name="temperature"><param name="city">Rome</param></function>`},
		"late, a tool after a slash":   {`<function/temperature>{"city":"Rome"}</function>`, "", "", `<function/temperature>{"city":"Rome"}</function>`},
		"late, a tag of xAI":           {`<xai:function_call name="temperature"></xai:function_call>`, "", "", `<xai:function_call name="temperature"></xai:function_call>`},
		"another function":             {`<function name="sum"></function>`, `<function name="sum"></function>`, "", ""},
		"a function explained":         {`<function name="temperature"/> is in the file.`, `<function name="temperature"/> is in the file.`, "", ""},
		"a tool as a link":             {"More:\n[temperature](https://x.y/f(1))", "More:\n[temperature](https://x.y/f(1))", "", ""},
		"code after a text":            {"So:\n```python\ntemperature(city=\"Rome\")\n```", "So:\n```python\ntemperature(city=\"Rome\")\n```", "", ""},
		"a list after a text":          {"So:\n[temperature, f]", "So:\n[temperature, f]", "", ""},
		"late, text and code of Llama": {"I need it.\n\n[temperature(city=\"Rome\")]", "", "", "I need it.\n\n[temperature(city=\"Rome\")]"},
		"late, text and code of Gemma": {"I look.\n```tool_code\ntemperature(city=\"Rome\")\n```", "", "", "I look.\n```tool_code\ntemperature(city=\"Rome\")\n```"},
		"a block of an answer":         {"```sql\nSELECT 1\n```", "```sql\nSELECT 1\n```", "", ""},
	} {
		for _, size := range []int{1, 3, 5, 11, 1000} {
			var streamed strings.Builder
			r := &Reader{Tools: []string{"temperature", "f"}, Stream: func(s string) {
				streamed.WriteString(s)
				if !utf8.ValidString(s) {
					t.Errorf("%s: the piece %q has a part of a rune", name, s)
				}
			}, Discard: streamed.Reset}
			for rest := test.reply; rest != ""; {
				n := min(size, len(rest))
				r.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			r.Close(true)
			if string(r.Text()) != test.text || r.Thoughts() != test.thoughts || r.Call() != test.call {
				t.Errorf("%s, %d bytes: got %q, thoughts %q, call %q", name, size, r.Text(), r.Thoughts(), r.Call())
			}
			if streamed.String() != test.text && !strings.HasPrefix(name, "late, ") { // only its end makes it a call
				t.Errorf("%s, %d bytes: streamed %q", name, size, streamed.String())
			}
		}
	}
}

// A piece is not held back unless it may be a mark.
func TestReaderStreams(t *testing.T) {
	var pieces []string
	r := &Reader{Tools: []string{"temperature"}, Stream: func(s string) { pieces = append(pieces, s) }}
	for _, piece := range []string{"The ", "te", "mperature", " < ", "5."} {
		r.Write([]byte(piece))
	}
	if strings.Join(pieces, "|") != "The |te|mperature| < |5." {
		t.Errorf("got %q", pieces)
	}
}

// A server that left out an opening mark once may do so again.
func TestReaderUnopened(t *testing.T) {
	for reply, want := range map[string]string{"a</think>b": "b", "no thoughts": "no thoughts", "<think>x</think>y": "y"} {
		var streamed string
		r := &Reader{Unopened: true, Stream: func(s string) { streamed += s }, Discard: func() { t.Error("discarded") }}
		r.Write([]byte(reply))
		r.Close(true)
		if string(r.Text()) != want || streamed != want {
			t.Errorf("%q: got %q, streamed %q", reply, r.Text(), streamed)
		}
	}
	r := &Reader{Unopened: true}
	r.Write([]byte("thoughts that were"))
	r.Close(false)
	if len(r.Text()) > 0 {
		t.Errorf("got %q of a reply that was cut off in its thoughts", r.Text())
	}
}

// Without tools, a text is a call only if it begins with the mark of one.
func TestReaderWithoutTools(t *testing.T) {
	for reply, call := range map[string]bool{
		"Hermes:\n<tool_call>\n{\"name\":\"f\",\"arguments\":{}}\n</tool_call>": false,
		`{"name":"f","arguments":{}}`:                                           false,
		"<tool_call> is the mark of Qwen.":                                      false,
		"<function=foo> is the form of Llama.":                                  false,
		`<invoke name="x"> is a form.`:                                          false,
		"[TOOL_CALLS][{}]":                                                      true,
		"<tool_call>\n{\"name\":\"f\"}\n</tool_call>":                           true,
		"<think>f?</think>\n<tool_call>{\"name\":\"f\"}":                        true,
	} {
		r := &Reader{}
		r.Write([]byte(reply))
		r.Close(true)
		if (r.Call() != "") != call || call && len(r.Text()) > 0 || !call && string(r.Text()) != reply || HasCall(reply, nil) != call {
			t.Errorf("%q: got %q, call %q", reply, r.Text(), r.Call())
		}
	}
}

// The time is linear, whatever the reply has.
func TestReaderTime(t *testing.T) {
	const size = 1 << 18
	for _, test := range []struct{ first, unit string }{
		{"x <tool_call>", " "}, {"<tool_call>", "\n"}, {"x" + strings.Repeat(" ", size/2), "<|end|>"}, {"x" + strings.Repeat(" ", size/2), "</think>\n"},
		{"", "<think></think>"}, {"", "a</think>\n"}, {"", "<"}, {"", "{"}, {"", "temperature("}, {"x", "\nAction: temperature\n"}, {"", "`"}, {"", "[[{"}, {"x\n<think>", "</thin"}, {"", "{\"name\":\"temperature\",\"arguments\":{}} "},
	} {
		begin := time.Now()
		r := &Reader{Tools: []string{"temperature"}}
		r.Write([]byte(test.first))
		for range size / len(test.unit) {
			r.Write([]byte(test.unit))
		}
		r.Close(true)
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%.20q and %q take %v", test.first, test.unit, took)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	for name, unit := range map[string]string{"text": "The sum of all invoices is 17. ", "brackets": "<", "objects": "{\"a\":1}\n", "ticks": "`<think>` "} {
		reply := []byte(strings.Repeat(unit, 1<<20/len(unit)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				r := &Reader{Tools: []string{"temperature"}}
				for i := 0; i < len(reply); i += 64 {
					r.Write(reply[i:min(i+64, len(reply))])
				}
				r.Close(true)
			}
		})
	}
}
