package replytext

import (
	"regexp"
	"strings"
)

// A pair is how a family of models marks its thoughts in the text of a reply.
type pair struct{ open, close string }

// thoughts are the spellings of thoughts. Chat templates often have the opening
// mark in the prompt, so that a reply begins with thoughts and has only the closing
// one.
var thoughts = []pair{
	{"<think>", "</think>"},                    // DeepSeek R1, Qwen 3, MiniMax, GLM and most others
	{"[THINK]", "[/THINK]"},                    // Mistral
	{"<seed:think>", "</seed:think>"},          // Seed OSS
	{"◁think▷", "◁/think▷"},                    // Kimi
	{"<|START_THINKING|>", "<|END_THINKING|>"}, // Cohere
	{"<|channel>thought", "<channel|>"},        // Gemma 4
	{"<unused94>thought", "<unused95>"},        // MedGemma
	{"<mm:think>", "</mm:think>"},              // MiniMax
	{"<longcat_think>", "</longcat_think>"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"}, // models trained on OpenThoughts
	{"<|channel|>analysis<|message|>", messageEnd},
	{"<|think|>", messageEnd},                         // Solar
	{"to=self<|message|>", "<|eom|>"},                 // Muse
	{"<|open|>think<|sep|>", "<|close|>think<|sep|>"}, // Kimi K3
	{"", wordsOfMarks},                                // the same from a server that leaves out the marks
	{"<|inner_prefix|>", "<|inner_suffix|>"},          // Apertus
	{"", "[BEGIN FINAL RESPONSE]"},                    // Apriel, after words
	{
		"<think_never_used_51bce0c785ca2f68081bfa7d91973934>", // Doubao
		"</think_never_used_51bce0c785ca2f68081bfa7d91973934>",
	},
}

// wordsOfMarks ends thoughts that begin with the word analysis. In any other text it can be
// part of a name, such as assistantFinalGrade.
const wordsOfMarks = "assistantfinal"

// messageEnd ends a message of a reply that has several. It ends thoughts only if their
// opening mark was there.
const messageEnd = "<|end|>"

// endOfTurn begins the reply of a tool, which a model made up, if a line begins with it.
const endOfTurn = "<tool_response>"

// wrappers are around the answer of a reply that begins with thoughts. Elsewhere they are
// elements of XML.
var wrappers = []pair{{"<answer>", "</answer>"}, {"<response>", "</response>"}}

// preambles are thoughts only if a reply begins with them: elsewhere the words are
// elements of XML.
var preambles = []pair{
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"}, // Gemini
	{"<reasoning>", "</reasoning>"},
	{"<scratchpad>", "</scratchpad>"},
	{`<details type="reasoning"`, "</details>"}, // Open WebUI
}

// calls are the beginnings of tool calls that a server did not read, because it has
// another parser than the model needs, or none.
var calls = []string{
	"<tool_call>", "<tool_calls>", "<tools>", "<toolcall>", "<tool_use>", "<function_call>", "<function_calls>",
	"<function=", "<invoke name=", "<minimax:tool_call>", "<seed:tool_call>", "<xai:function_call>",
	"<start_function_call>", "<longcat_tool_call>", "<|tool_call>",
	"<｜DSML｜", "<steptml:", "✿FUNCTION✿:", "[TOOL_CALLS]", "[TOOL_CALL]", "[TOOL_REQUEST]",
	"<|open|>tools<|sep|>", "<|open|>call tool=",
	"<|channel|>commentary to=", "<|channel|>analysis to=", "<|start|>assistant to=", "assistantcommentary to=",
}

// noise are marks around the answer that are no part of it.
var noise = []string{
	"<|start|>assistant", "<|channel|>final<|message|>", "<|channel|>commentary<|message|>",
	"<|channel|>final <|constrain|>json<|message|>", "[END FINAL RESPONSE]", "<|im_start|>assistant",
	"<|begin|>assistant", "<|start_header_id|>assistant", "<|start_of_role|>assistant", "<start_of_turn>model", "[|assistant|]",
	"<|open|>response<|sep|>", "<|close|>response<|sep|>", "to=user<|message|>", "<|start|>assistant to=user<|message|>",
}

// ends are marks after which the model has played the next turn too, because the server
// does not know where its turns end.
var ends = []string{
	"<end_of_turn>", "<turn|>", "<eos>", "[|endofturn|]", endOfTurn,
}

// special is a token that the templates of models have, such as <|im_end|> and <｜User｜>,
// and specialPart the beginning of one. Its name says what it is, across models.
var (
	special     = regexp.MustCompile(`^<[|｜](/?[\p{L}\d_▁: -]{1,40})[|｜]>`)
	specialPart = regexp.MustCompile(`^<([|｜](/?[\p{L}\d_▁: -]{0,40}([|｜])?)?)?$`)

	specialCall  = regexp.MustCompile(`^(start_)?(tool|function|python|plugin|action|call)s?(call)?(_|:|begin|$)`)
	specialEnd   = regexp.MustCompile(`^(im_end|role_end|eo[smt](_id)?|end_?of_?(text|turn|sentence|response|message)|user|human|observation)$`)
	specialPlace = regexp.MustCompile(`^(return|end|begin|message|content|assistant|((begin|start|end)_(of_)?` +
		`(response|solution|box|text|sentence|header_id|role)))$`)
)

// specialAt returns the mark that a text begins with if it is such a token, and reports
// whether it could be one if it continued. The text ends with half a rune at most.
func specialAt(text []byte) (m mark, found, partial bool) {
	text = text[:min(len(text), 64)] // no token is longer
	token := special.FindSubmatch(text)
	if token == nil {
		return m, false, specialPart.Match(text[:len(text)-cutRune(text)])
	}
	m.text = string(token[0])
	name := strings.NewReplacer("▁", "_", " ", "_").Replace(strings.ToLower(string(token[1])))
	switch {
	case specialCall.MatchString(name):
		m.kind = call
	case specialEnd.MatchString(name):
		m.kind = ending
	case specialPlace.MatchString(name):
		m.kind = skipped
	default:
		return m, false, false
	}
	return m, true, false
}

// A kind is what a mark means.
type kind int

const (
	opening kind = iota
	preamble
	closing
	call
	skipped
	wrapper
	ending
)

// A mark is a text that is not part of an answer.
type mark struct {
	text string // in lower case
	kind kind
	ends string // the other mark of the thoughts or the wrapper, in lower case
}

// marks has all marks by their first byte. A mark that begins like a longer one
// comes after it.
var marks = func() (by [256][]mark) {
	add := func(m mark) {
		list := by[m.text[0]]
		at := 0
		for at < len(list) && len(list[at].text) >= len(m.text) {
			at++
		}
		by[m.text[0]] = append(list[:at:at], append([]mark{m}, list[at:]...)...)
	}
	for _, p := range thoughts {
		open, end := strings.ToLower(p.open), strings.ToLower(p.close)
		if open != "" {
			add(mark{text: open, kind: opening, ends: end})
		}
		if end != messageEnd && end != "<|eom|>" {
			add(mark{text: end, kind: closing, ends: open})
		}
	}
	for _, p := range preambles {
		add(mark{text: p.open, kind: preamble, ends: p.close})
	}
	for _, p := range wrappers {
		add(mark{text: p.open, kind: wrapper, ends: p.close})
		add(mark{text: p.close, kind: wrapper})
	}
	for _, text := range calls {
		add(mark{text: strings.ToLower(text), kind: call})
	}
	for _, text := range noise {
		add(mark{text: strings.ToLower(text), kind: skipped})
	}
	for _, text := range ends {
		add(mark{text: text, kind: ending})
	}
	return by
}()

// hasPrefix reports whether text begins with a prefix in lower case, and whether it
// could if it continued. Only ASCII letters have an upper case here.
func hasPrefix(text []byte, prefix string) (whole, partial bool) {
	for i := range len(prefix) {
		if i == len(text) {
			return false, true
		}
		b := text[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != prefix[i] {
			return false, false
		}
	}
	return true, false
}
