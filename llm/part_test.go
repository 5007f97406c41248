package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
)

func TestMessageText(t *testing.T) {
	image := llm.Part{Type: llm.PartImage, MediaType: "image/png", Data: []byte("png")}
	for want, m := range map[string]llm.Message{
		"":              {Parts: []llm.Part{{Type: llm.PartReasoning, Text: "hm", Data: []byte("x")}}},
		"plain":         {Content: "plain"},
		"[image]\nlook": {Content: "look", Parts: []llm.Part{image}},
		"a\n[image]\n[file \"t\\n\\\".pdf\"]\nb": {Content: "b", Parts: []llm.Part{
			{Type: llm.PartText, Text: "a"}, image, {Type: llm.PartFile, Name: "t\n\".pdf", URL: "https://a/b"}}},
		`[file "` + strings.Repeat("é", 50) + `"]`: {Parts: []llm.Part{{Type: llm.PartFile, Name: strings.Repeat("é", 90)}}},
	} {
		if got := m.Text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func whole() *llm.Request {
	return &llm.Request{
		Messages: []llm.Message{{
			Role: llm.RoleAssistant, Content: "c", CacheHint: true,
			Parts:     []llm.Part{{Type: llm.PartReasoning, Text: "t", Data: []byte("data"), Provider: "p", MediaType: "m", Name: "n", URL: "u"}},
			ToolCalls: []llm.ToolCall{{ID: "1", Name: "f", Arguments: json.RawMessage(`{"a":1}`)}},
		}},
		Tools:      []llm.Tool{{Name: "f", InputSchema: json.RawMessage(`{}`)}},
		Format:     &llm.Format{Schema: json.RawMessage(`{}`)},
		ToolChoice: llm.ToolChoiceOf("f"), Stop: []string{"s"}, Seed: new(int64(7)), Temperature: new(0.5),
		Extra: map[string]json.RawMessage{"k": json.RawMessage(`1`)},
	}
}

// TestClone: a copy is equal, and shares no memory with the original.
func TestClone(t *testing.T) {
	original := whole()
	c := original.Clone()
	if diff := cmp.Diff(original, c); diff != "" {
		t.Fatal(diff)
	}
	m := &c.Messages[0]
	m.Parts[0].Data[0], m.ToolCalls[0].Arguments[0], m.Parts[0].Name = 'X', 'X', "X"
	c.Tools[0].InputSchema[0], c.Format.Schema[0], c.Extra["k"][0] = 'X', 'X', 'X'
	*c.Seed, *c.Temperature, c.Stop[0], c.Extra["z"] = 8, 1, "X", nil
	if diff := cmp.Diff(whole(), original); diff != "" {
		t.Errorf("the original has changed (-want +got)\n%s", diff)
	}
}

// TestHashHasEveryField: requests that differ in what is sent have different
// hashes, and survive JSON.
func TestHashHasEveryField(t *testing.T) {
	hashes := map[string]string{}
	for name, change := range map[string]func(*llm.Request){
		"nothing":     func(*llm.Request) {},
		"part text":   func(r *llm.Request) { r.Messages[0].Parts[0].Text = "x" },
		"part data":   func(r *llm.Request) { r.Messages[0].Parts[0].Data = []byte("x") },
		"part URL":    func(r *llm.Request) { r.Messages[0].Parts[0].URL = "x" },
		"no part":     func(r *llm.Request) { r.Messages[0].Parts = nil },
		"hint":        func(r *llm.Request) { r.Messages[0].CacheHint = false },
		"tool choice": func(r *llm.Request) { r.ToolChoice = llm.ToolChoiceNone },
		"stop":        func(r *llm.Request) { r.Stop = nil },
		"seed":        func(r *llm.Request) { r.Seed = nil },
		"extra":       func(r *llm.Request) { r.Extra["k"] = json.RawMessage(`2`) },
	} {
		req := whole()
		change(req)
		hash, err := req.Hash()
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := hashes[hash]; ok {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		hashes[hash] = name
		raw, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		var back llm.Request
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(req, &back); diff != "" {
			t.Errorf("%s: JSON (-want +got)\n%s", name, diff)
		}
	}
}

func TestToolChoice(t *testing.T) {
	if name, ok := llm.ToolChoiceOf("none").Tool(); name != "none" || !ok {
		t.Errorf("got %q, %v", name, ok)
	}
	for _, c := range []llm.ToolChoice{llm.ToolChoiceAuto, llm.ToolChoiceNone, llm.ToolChoiceRequired} {
		if name, ok := c.Tool(); ok {
			t.Errorf("%q names the tool %q", c, name)
		}
	}
}

func TestEstimateOfParts(t *testing.T) {
	with := func(parts ...llm.Part) *llm.Request {
		return &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: parts}}}
	}
	count := func(parts ...llm.Part) int { return llm.EstimateTokens(with(parts...)) - llm.EstimateTokens(with()) }
	words := strings.Repeat("one word after another ", 100)
	for name, test := range map[string]struct {
		part        llm.Part
		least, most int
	}{
		"text":      {llm.Part{Type: llm.PartText, Text: words}, 400, 800},
		"image":     {llm.Part{Type: llm.PartImage, MediaType: "image/png", Data: make([]byte, 1<<20)}, 4800, 4800},
		"image URL": {llm.Part{Type: llm.PartImage, URL: "https://example.com/a.png"}, 4800, 4800},
		"text file": {llm.Part{Type: llm.PartFile, MediaType: "text/plain", Data: []byte(words)}, 400, 800},
		"PDF":       {llm.Part{Type: llm.PartFile, MediaType: "application/pdf", Data: make([]byte, 80_000)}, 13_000, 13_000},
		"PDF URL":   {llm.Part{Type: llm.PartFile, URL: "https://example.com/a.pdf"}, 3000, 3000},
		"reasoning": {llm.Part{Type: llm.PartReasoning, Text: words, Data: make([]byte, 4000), Provider: "p"}, 1000, 1000},
	} {
		if got := count(test.part); got < test.least || got > test.most {
			t.Errorf("%s: %d tokens, want %d to %d", name, got, test.least, test.most)
		}
	}
	if n := testing.AllocsPerRun(10, func() { llm.EstimateTokens(whole()) }); n > testing.AllocsPerRun(10, func() { whole() }) {
		t.Error("the estimate allocates")
	}
}
