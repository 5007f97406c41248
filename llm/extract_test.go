package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExtract(t *testing.T) {
	for name, test := range map[string]struct {
		reply string
		want  string // empty: refused
	}{
		"object":                {`{"a":1}`, `{"a":1}`},
		"space around":          {"\ufeff \n{\"a\":1}\n ", `{"a":1}`},
		"fence":                 {"```json\n{\"a\":{\"b\":[1]}}\n```", `{"a":{"b":[1]}}`},
		"fence and prose":       {"Sure, here it is:\n```\n{\"a\":1}\n```\nAnything else?", `{"a":1}`},
		"prose with brackets":   {`As said [1], for {x} in (y): {"a":"}{"} :-)`, `{"a":"}{"}`},
		"thoughts":              {"<think>maybe {\"a\":2}?</think>\n{\"a\":1}", `{"a":1}`},
		"empty object":          {`It is {}.`, `{}`},
		"spread over lines":     {"x {\n\n\t\"a\": 1\n} y", "{\n\n\t\"a\": 1\n}"},
		"another value":         {`[1,2]`, `[1,2]`}, // the schema check explains it better
		"nothing":               {"", ""},
		"prose":                 {"I cannot do that.", ""},
		"two":                   {`{"a":1} {"a":2}`, ""},
		"two alike":             {`{"a":1} or {"a":1}`, ""},
		"two fences":            {"```json\n{\"a\":1}\n```\nor\n```json\n{\"a\":2}\n```", ""},
		"cut off":               {`{"a":{"b":1}`, ""},
		"cut off, with a whole": {`{"a":1} {"b":`, ""},
		"malformed":             {`{"a":1,}`, ""},
		"malformed around":      {`{"a":x, "b":{"c":1}}`, ""},
		"within no JSON":        {`{a:{"b":1}}`, ""},
		"in a list":             {`here: [{"a":1}]`, ""},
		"thoughts only":         {`<think>{"a":1}`, ""},
		"single quotes":         {`{'a':1}`, ""},
	} {
		got, err := extract(test.reply)
		if string(got) != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, test.want)
		}
	}
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "```json\n{}\n```", `{a:{"b":1}}`, `<think></think>{}`, strings.Repeat(`{"a":`, 50), "\"\xb8\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		got, err := extract(reply)
		switch {
		case (err == nil) == (got == nil):
			t.Fatalf("got %q, %v", got, err)
		case err == nil && (!json.Valid(got) || !strings.Contains(strings.ToValidUTF8(reply, "\ufffd"), string(got))):
			t.Fatalf("%q is not JSON of the reply", got)
		}
	})
}

// BenchmarkExtractHostile: the time for a hostile reply must stay linear.
func BenchmarkExtractHostile(b *testing.B) {
	for name, reply := range map[string]string{
		"open":   strings.Repeat(`{"a":`, 1<<17),
		"braces": strings.Repeat(`{`, 1<<19),
		"broken": strings.Repeat(`{"a":`, 9000) + "x" + strings.Repeat(`{"a":`, 1<<17),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				if _, err := extract(reply); err == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}
