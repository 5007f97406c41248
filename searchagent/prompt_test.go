package searchagent_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
)

// A host's prompts replace those of the agent, and an invalid one is found
// by New.
func TestPromptsOfTheHost(t *testing.T) {
	m := llmtest.New(isSearch(), reply("plan", plan(find("all", findAll))), reply("generate", body(`{}`)), reply("answer", text("Here.")))
	opt := &searchagent.Options{Prompts: fstest.MapFS{
		"classify.tmpl": {Data: []byte("C {{quote .Question}}")}, "plan.tmpl": {Data: []byte("P {{.MaxTasks}}")},
		"generate.tmpl": {Data: []byte("G {{quote .Task}} {{.Index.Name}}")}, "answer.tmpl": {Data: []byte("A {{len .Found}}")},
	}}
	ask(t, newAgent(t, m, &engine{answers: []answer{{docs: files(1)}}}, opt), qed.Turn{Text: "x"})
	for name, want := range map[string]string{"classify": `C "x"`, "plan": "P 5", "generate": `G "find all documents" files`, "answer": "A 1"} {
		if got := sent(m, name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: sent %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"classify.tmpl", "plan.tmpl", "generate.tmpl", "answer.tmpl"} {
		p := fstest.MapFS{name: {Data: []byte("{{.Nope}}")}}
		if _, err := searchagent.New(m, &engine{}, hiding(t), &searchagent.Options{Prompts: p}); err == nil || !strings.Contains(err.Error(), "Options.Prompts: ") {
			t.Errorf("New took a prompt that does not work: %v", err)
		}
	}
}

// For a mapping with ten thousand fields, a prompt contains those that the question is about.
func TestLargeMapping(t *testing.T) {
	var fields strings.Builder
	for i := range 9999 {
		fmt.Fprintf(&fields, `"attribute%04d":{"type":"keyword"},`, i)
	}
	mapping, err := esquery.ParseMapping([]byte(`{"properties":{` + fields.String() + `"zipCode":{"type":"keyword"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"files": mapping}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := single(body(`{"query":{"term":{"zipCode":"10115"}}}`))
	a, err := searchagent.New(m, &engine{answers: []answer{{docs: files(1)}}}, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, got := ask(t, a, qed.Turn{Text: "Which documents have the zip code 10115?"}); got.Partial {
		t.Errorf("answer = %+v", got)
	}
	for _, name := range []string{"plan", "generate"} {
		prompt := sent(m, name)[0]
		wants(t, name, prompt, "zipCode")
		if len(prompt) > 20_000 {
			t.Errorf("the prompt %s has %d bytes", name, len(prompt))
		}
	}
}

// JSONMode and the temperature reach the model.
func TestRequestOptions(t *testing.T) {
	warm := 0.7
	m := llmtest.New(scripted()...)
	ask(t, newAgent(t, m, found(1), &searchagent.Options{Settings: llm.Settings{JSONMode: true, Temperature: &warm, MaxOutputTokens: 77}}), qed.Turn{Text: taxDocuments})
	for _, req := range m.Requests() {
		if req.Temperature == nil || *req.Temperature != warm || req.MaxOutputTokens != 77 || req.Format != nil && req.Format.Mode != llm.JSONMode {
			t.Errorf("%s: %+v", req.Name, req)
		}
	}
}
