package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (p *provider) embedded() (n int) {
	for _, r := range p.requests() {
		if input, ok := r.body["input"].([]any); ok {
			n += len(input)
		}
	}
	return n
}

// shed is a PDF file of one page.
const shed = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 62>>stream
BT /F1 12 Tf 20 200 Td (Paint is stored in a shed.) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF
`

// TestRoutes asks each agent, in one conversation.
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.write(t, "docs/shed.PDF", shed)
	p := s.launch(t, "-docs", "docs")
	for question, want := range map[string][]string{
		"How many boats are late?": {`"route":"sql"`, `{"event":"tool_start","tool":"sql_agent"}`, `[{"n":2}]`,
			`"written":"SELECT count(*) AS n FROM boat WHERE late = 1"`, `"executed":"SELECT`, `"partial":`},
		"How do I paint?": {`"route":"rag"`, `{"event":"tool_start","tool":"rag_agent"}`, `With a brush [1].`,
			`"citations":[{"title":"paint.md`, `"partial":false`},
		"What is the weather?": {`"route":"general"`, `{"event":"tool_start","tool":"general_agent"}`, `"final_answer":"It depends."`},
	} {
		events := p.ask(t, "c1", question)
		for _, part := range want {
			if !strings.Contains(events, part) {
				t.Errorf("%s: the events lack %s:\n%s", question, part, events)
			}
		}
	}
	if prompt := strings.Join(s.model.asked("You answer a question from passages"), "\n"); !strings.Contains(prompt, "stored in a shed") {
		t.Errorf("the PDF file is not in %s\n%s", prompt, p.log.String())
	}
	if _, text := p.send(t, http.MethodGet, "/conversations/c1", ""); strings.Count(text, `"message":`) != 3 {
		t.Errorf("the conversation: %s", text)
	}
}

// TestEmbeddingsAreKept starts the program again, and with another document.
func TestEmbeddingsAreKept(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"EMBEDDING_MODEL": "e"})
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			s.write(t, "docs/clean.md", "# Clean\n\nBoats are cleaned with water.\n")
		}
		p := s.launch(t, "-docs", "docs")
		if got := s.model.embedded(); p.address == "" || got != want {
			t.Fatalf("start %d: %d texts were embedded, want %d: %s", i+1, got, want, p.log.String())
		}
		p.kill()
	}
	if _, err := os.Stat(filepath.Join(s.folder, "data", "embeddings_cache")); err != nil {
		t.Error(err)
	}
}

// TestValues asks for a value by one of its words, with and without -values, and changes the
// database between two starts.
func TestValues(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const question, row = "Which boats are from Kestrel?", `[{"name":"Kestrel Logistics"}]`
	p := s.launch(t)
	if events := p.ask(t, "c1", question); strings.Contains(events, row) {
		t.Errorf("without -values: %s", events)
	}
	p.kill()
	p = s.launch(t, "-values", "values.bin")
	if events := p.ask(t, "c2", question); !strings.Contains(events, row) || !strings.Contains(events, `"values":[{"said":"Kestrel"`) {
		t.Errorf("with -values: %s\n%s", events, p.log.String())
	}
	p.kill()
	s.sql(t, "app.db", "INSERT INTO boat(name) VALUES ('Osprey Shipping')")
	p = s.launch(t, "-values", "values.bin")
	if events := p.ask(t, "c3", "Which boats are from Osprey?"); !strings.Contains(events, `[{"name":"Osprey Shipping"}]`) {
		t.Errorf("a value that came later: %s\n%s", events, p.log.String())
	}
	p.kill()
	s.sql(t, "app.db", `CREATE TABLE parcel(id INTEGER PRIMARY KEY, label TEXT); INSERT INTO parcel(label)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 100000) SELECT 'p' || i FROM n`)
	s.write(t, "values.bin", "damaged")
	p = s.launch(t, "-values", "values.bin")
	if events := p.ask(t, "c4", question); !strings.Contains(events, row) || !strings.Contains(p.log.String(), "are read again") {
		t.Errorf("a damaged file: %s\n%s", events, p.log.String())
	}
	if !strings.Contains(p.log.String(), "parcel label: more than 100000") {
		t.Errorf("a column with too many values: %s", p.log.String())
	}
}

// TestVerified gives the model approved statements of a file.
func TestVerified(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.write(t, "questions.jsonl", `{"question":"Which boats are late?","sql":"SELECT name FROM boat WHERE late = 1"}`+"\n"+
		`{"status":"proposed","question":"Which boats are late today?","sql":"SELECT name FROM boat WHERE late = 2"}`+"\n")
	p := s.launch(t, "-verified", "questions.jsonl")
	p.ask(t, "c1", "How many boats are late?")
	prompt := strings.Join(s.model.asked("You write one"), "\n")
	if !strings.Contains(prompt, "WHERE late = 1\"") || strings.Contains(prompt, "late = 2") {
		t.Errorf("the prompt: %s\n%s", prompt, p.log.String())
	}
}

// TestUserMemory asks in two conversations of a user, and in one of another user.
func TestUserMemory(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-trust-local"}, {"-trust-local", "-user-memory"}} {
		s := newSite(t, nil)
		p := s.launch(t, args...)
		remembered := func(user, thread string) bool {
			before := len(s.model.asked("You write one"))
			body := `{"input":{"message":"How many boats are late?"},"conversation":{"id":"` + thread + `","user_id":"` + user + `","company_id":"acme"}}`
			if status, text := p.post(t, body); status != http.StatusOK {
				t.Fatalf("status %d: %s", status, text)
			}
			prompts := s.model.asked("You write one")
			return len(prompts) > before && strings.Contains(prompts[len(prompts)-1], "These are the boats.")
		}
		remembered("ann", "c1")
		if got, want := remembered("ann", "c2"), len(args) == 2; got != want {
			t.Errorf("%v: ann is remembered: %v", args, got)
		}
		if remembered("bob", "c1") {
			t.Errorf("%v: bob is given what ann asked", args)
		}
	}
}

// TestRestart kills the program and starts it again: the model has what was said before. It
// also sends messages that cannot be answered.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	p := s.launch(t)
	p.ask(t, "c1", "What is the weather?")
	p.kill()
	p = s.launch(t)
	p.ask(t, "c1", "And tomorrow?")
	all := s.model.requests()
	if messages, _ := all[len(all)-1].body["messages"].([]any); len(messages) != 4 {
		t.Errorf("the model gets %d messages after the restart, want 4", len(messages))
	}
	if status, text := p.post(t, `{"input":{"message":""},"conversation":{"id":"c1"}}`); status != http.StatusBadRequest ||
		!strings.Contains(text, "message is empty") {
		t.Errorf("nothing is left to resume: status %d: %s", status, text)
	}
	long := `{"input":{"message":"` + strings.Repeat("x", 40<<10) + `"},"conversation":{"id":"c1"}}`
	if status, text := p.post(t, long); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "too long") {
		t.Errorf("a long message: status %d: %s", status, text)
	}
}

// TestGraphs starts with graphs and policies that do not fit the database.
func TestGraphs(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.write(t, "old.json", `{"version":1,"tables":{"boat":{"columns":["id","captain"]},"crew":{"columns":["id"]}},"relationships":[
		{"from_table":"boat","from_column":"captain","to_table":"crew","to_column":"id","type":"foreign_key","confidence":1,"cardinality":"N:1"}]}`)
	s.write(t, "next.json", `{"version":99,"tables":{},"relationships":[]}`)
	s.write(t, "other.json", `{"dialect":"mysql","tables":{"boat":["id"]}}`)
	s.write(t, "policy.json", `{"dialect":"sqlite","tables":{"boat":["id","name","late"]}}`)
	for name, tt := range map[string]struct {
		args []string
		runs bool
		want string
	}{
		"a graph of another schema":  {[]string{"-graph", "old.json"}, true, "entries are not used"},
		"a graph of a later version": {[]string{"-graph", "next.json"}, false, "next.json"},
		"no graph":                   {[]string{"-graph", "none.json"}, false, "none.json"},
		"another dialect's policy":   {[]string{"-policy", "other.json"}, false, "other.json"},
		"two policies":               {[]string{"-policy", "policy.json", "-policy", "other.json"}, false, "-policy: it is set twice"},
		"one policy":                 {[]string{"-policy", "policy.json"}, true, "Tables: 1"},
	} {
		p := s.launch(t, tt.args...)
		if (p.address != "") != tt.runs || !strings.Contains(p.log.String(), tt.want) {
			t.Errorf("%s: %s", name, p.log.String())
		}
		if tt.runs && !strings.Contains(p.ask(t, "", "How many boats are late?"), `[{"n":2}]`) {
			t.Errorf("%s: no answer: %s", name, p.log.String())
		}
		p.kill()
	}
}
