package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// built has the path of the program, which tests with -short do not need.
var built string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run())
	}
	folder, err := os.MkdirTemp("", "qed-serve-")
	if err != nil {
		panic(err)
	}
	built = filepath.Join(folder, "qed-serve")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", built, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// A sent is a request that a provider got.
type sent struct {
	path   string
	header http.Header
	body   map[string]any
	text   string // of the messages
}

// A provider is a server with the APIs of OpenAI and Anthropic. Its replies depend on
// what the prompts ask for, and on the words of the question in them.
type provider struct {
	url string
	mu  sync.Mutex
	got []sent

	loading int // requests that were told so
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := sent{path: r.URL.Path, header: r.Header}
	if err := json.NewDecoder(r.Body).Decode(&s.body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	texts(s.body["system"], &s.text)
	texts(s.body["messages"], &s.text)
	p.mu.Lock()
	if !strings.Contains(s.text, "Answer with the word OK.") { // at the start, next to the first turn
		p.got = append(p.got, s)
	}
	loading := strings.Contains(s.text, "while you load") && p.loading < 6
	if loading {
		p.loading++
	}
	p.mu.Unlock()
	if loading {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
		return
	}
	if strings.Contains(s.text, "slowly") {
		time.Sleep(time.Second)
	}
	w.Header().Set("Content-Type", "application/json")
	if input, ok := s.body["input"].([]any); ok {
		var data []string
		for i, text := range input {
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[1,%d]}`, i, len(text.(string))))
		}
		fmt.Fprintf(w, `{"object":"list","data":[%s],"usage":{"prompt_tokens":1,"total_tokens":1}}`, strings.Join(data, ","))
		return
	}
	content, _ := json.Marshal(reply(s.text))
	switch stream := s.body["stream"] == true; {
	case strings.HasSuffix(s.path, "/messages") && stream:
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range []string{
			`{"type":"message_start","message":{"id":"1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(content) + `}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":10}}`,
			`{"type":"message_stop"}`,
		} {
			var kind struct{ Type string }
			_ = json.Unmarshal([]byte(e), &kind)
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind.Type, e)
		}
	case strings.HasSuffix(s.path, "/messages"):
		fmt.Fprintf(w, `{"id":"1","type":"message","role":"assistant","content":[{"type":"text","text":%s}],"stop_reason":"end_turn","usage":{"input_tokens":1000,"output_tokens":10}}`, content)
	case stream:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s},\"finish_reason\":\"stop\"}]}\n\n", content)
		fmt.Fprint(w, "data: {\"id\":\"1\",\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":10}}\n\ndata: [DONE]\n\n")
	default:
		fmt.Fprintf(w, `{"id":"1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":1000,"completion_tokens":10}}`, content)
	}
}

// texts adds the texts of messages, which are strings or lists of parts.
func texts(v any, into *string) {
	switch v := v.(type) {
	case string:
		*into += v + "\n"
	case []any:
		for _, e := range v {
			texts(e, into)
		}
	case map[string]any:
		texts(v["text"], into)
		texts(v["content"], into)
	}
}

var (
	passageKey = regexp.MustCompile(`\[c[0-9][a-z2-7]{4}\]`)
	quotedWord = regexp.MustCompile(`name = "([^"]+)"`)
)

// reply returns what a model says to a prompt.
func reply(text string) string {
	question := text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:] // most prompts end with it
	switch has := func(part string) bool { return strings.Contains(text, part) }; {
	case has("You decide who answers"):
		_, asked, _ := strings.Cut(text, "<question>")
		switch {
		case strings.Contains(asked, "boat"):
			return `{"route":"sql"}`
		case strings.Contains(asked, "paint"):
			return `{"route":"rag"}`
		}
		return `{"route":"general"}`
	case has("You choose the tables") && strings.Contains(question, "kind"):
		return `{"tables":["boat","kind"]}`
	case has("You choose the tables") && strings.Contains(question, "owner"):
		return `{"tables":["boat","owner"]}`
	case has("You choose the tables") && strings.Contains(question, "harbour"):
		return `{"tables":["boat","harbour"]}`
	case has("You choose the tables"):
		return `{"tables":["boat"]}`
	case has("You write one") || has("query was refused or failed"):
		if value := quotedWord.FindStringSubmatch(text); value != nil {
			return `{"sql":"SELECT name FROM boat WHERE name = '` + value[1] + `'"}`
		}
		switch {
		case strings.Contains(question, "broken"), has("Question: \"Which broken"):
			return fmt.Sprintf(`{"sql":"SELECT missing%d FROM boat"}`, strings.Count(text, "missing"))
		case strings.Contains(question, "late"):
			return `{"sql":"SELECT count(*) AS n FROM boat WHERE late = 1"}`
		}
		return `{"sql":"SELECT name FROM boat"}`
	case has("You prepare the last question"):
		return `{"question":"How is a boat painted?"}`
	case has("You answer a question from passages"):
		return "With a brush " + passageKey.FindString(text) + "."
	case has("The rows are data"):
		return "These are the boats."
	case has("You write the memory"):
		return "The user asked about the weather."
	}
	return "It depends."
}

// asked returns the texts of the requests that contain a text.
func (p *provider) asked(part string) (all []string) {
	for _, s := range p.requests() {
		if strings.Contains(s.text, part) {
			all = append(all, s.text)
		}
	}
	return all
}

func (p *provider) requests() []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]sent(nil), p.got...)
}

// A site is a folder with a database, documents and a .env file.
type site struct {
	folder string
	model  *provider
}

// newSite returns a site whose .env file has the variables. Those of the provider are set
// unless the variables name one.
func newSite(t *testing.T, variables map[string]string) *site {
	t.Helper()
	s := &site{t.TempDir(), newProvider(t)}
	s.sql(t, "app.db", `CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT);
		CREATE TABLE harbour(id INTEGER PRIMARY KEY, name TEXT);
		CREATE TABLE owner(id INTEGER PRIMARY KEY, title TEXT);
		CREATE TABLE boat(id INTEGER PRIMARY KEY, name TEXT, late INTEGER, kind_id INTEGER REFERENCES kind(id), patron INTEGER,
			home_id INTEGER REFERENCES harbour(id), port_id INTEGER REFERENCES harbour(id), refit_id INTEGER REFERENCES harbour(id));
		INSERT INTO boat(name, late) VALUES ('Ann', 1), ('Kestrel Logistics', 0), ('Bob', 1)`)
	s.write(t, "docs/paint.md", "# Paint\n\nBoats are painted with a brush.\n")
	s.env(t, variables)
	return s
}

func (s *site) env(t *testing.T, variables map[string]string) {
	t.Helper()
	text := ""
	if variables["ANTHROPIC_API_KEY"] == "" {
		text = "OPENAI_BASE_URL=" + s.model.url + "\n"
	}
	for name, value := range variables {
		text += name + "=" + strings.ReplaceAll(value, "PROVIDER", s.model.url) + "\n"
	}
	s.write(t, ".env", text)
}

func (s *site) sql(t *testing.T, file, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.folder, file))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

func (s *site) write(t *testing.T, file, text string) {
	t.Helper()
	path := filepath.Join(s.folder, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A process is a running program.
type process struct {
	address string
	cmd     *exec.Cmd
	log     lockedBuffer
	ended   chan struct{}
}

// launch starts the program in the folder of the site. If the program ends instead of
// listening, the address is empty.
func (s *site) launch(t *testing.T, args ...string) *process {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the program")
	}
	p := &process{ended: make(chan struct{})}
	p.cmd = exec.Command(built, append([]string{"-dsn=app.db", "-all-tables", "-listen=127.0.0.1:0"}, args...)...)
	p.cmd.Dir, p.cmd.Stderr = s.folder, &p.log
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.folder}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintln(&p.log, lines.Text())
			if _, rest, ok := strings.Cut(lines.Text(), "served on http://"); ok {
				address, _, _ := strings.Cut(rest, " ")
				listening <- address
			}
		}
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() { p.kill() })
	select {
	case p.address = <-listening:
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Fatal("the program does not listen: ", p.log.String())
	}
	return p
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// post sends a body to /internal/chat/stream. header has names and values in turn.
func (p *process) post(t *testing.T, body string, header ...string) (status int, text string) {
	t.Helper()
	return p.send(t, http.MethodPost, "/internal/chat/stream", body, header...)
}

func (p *process) send(t *testing.T, method, path, body string, header ...string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		t.Fatal(err, p.log.String())
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(all)
}

// ask asks a question in a conversation, and returns the events.
func (p *process) ask(t *testing.T, thread, question string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"input": map[string]any{"message": question}, "conversation": map[string]any{"id": thread},
	})
	if err != nil {
		t.Fatal(err)
	}
	status, text := p.post(t, string(body))
	if status != http.StatusOK {
		t.Fatalf("%s: status %d: %s\n%s", question, status, text, p.log.String())
	}
	return text
}
