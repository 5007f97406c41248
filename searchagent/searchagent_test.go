package searchagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// engine is a fake; the real ones are in integration/. It chooses its answer by what a
// search contains, and counts in the same way.
type engine struct {
	answers []answer
	counts  map[string]int64 // by what a body contains; 0 where none fits
	pageErr error            // after the first page

	mu      sync.Mutex
	ran     []string
	counted []string
	paged   int
}

type answer struct {
	contains string
	docs     []doc
	total    int64 // 0: as many as docs
	figures  string
	err      error
	once     bool
	partial  bool

	used bool
}

type doc struct{ id, source string }

func (e *engine) Search(ctx context.Context, s *esquery.Search) (*esquery.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	body := string(s.Body())
	e.ran = append(e.ran, body)
	a := e.answer(body)
	if a == nil {
		return &esquery.Result{Total: esquery.Total{Exact: true}}, nil
	}
	if a.err != nil {
		return nil, a.err
	}
	var asked struct{ Size int }
	if err := json.Unmarshal(s.Body(), &asked); err != nil {
		return nil, err
	}
	result := a.result(0, asked.Size)
	if a.figures != "" {
		result.Aggregations = json.RawMessage(a.figures)
	}
	return result, nil
}

func (e *engine) answer(body string) *answer {
	for i := range e.answers {
		if a := &e.answers[i]; strings.Contains(body, a.contains) && !(a.once && a.used) {
			a.used = true
			return a
		}
	}
	return nil
}

func (a *answer) result(from, size int) *esquery.Result {
	r := &esquery.Result{Total: esquery.Total{Value: max(a.total, int64(len(a.docs))), Exact: true}}
	if a.partial {
		r.Shards = esquery.Shards{Total: 2, Successful: 1, Failed: 1}
	}
	for _, d := range a.docs[min(from, len(a.docs)):min(from+size, len(a.docs))] {
		r.Hits = append(r.Hits, esquery.Hit{Index: "files", ID: d.id, Source: json.RawMessage(d.source)})
	}
	return r
}

func (e *engine) Count(ctx context.Context, s *esquery.Search) (int64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counted = append(e.counted, string(s.Body()))
	for contains, n := range e.counts {
		if contains != "" && strings.Contains(string(s.Body()), contains) {
			return n, ctx.Err()
		}
	}
	return e.counts[""], ctx.Err()
}

func (e *engine) Pages(ctx context.Context, s *esquery.Search, opt *esquery.PageOptions) iter.Seq2[*esquery.Result, error] {
	return func(yield func(*esquery.Result, error) bool) {
		e.mu.Lock()
		a := e.answer(string(s.Body()))
		e.mu.Unlock()
		for from := 0; from < min(len(a.docs), opt.Max); from += opt.Size {
			if from > 0 && e.pageErr != nil {
				yield(nil, e.pageErr)
				return
			}
			e.paged++
			if !yield(a.result(from, min(opt.Size, opt.Max-from)), ctx.Err()) {
				return
			}
		}
	}
}

// silent is an engine that returns nothing.
type silent struct{ *engine }

func (silent) Search(context.Context, *esquery.Search) (*esquery.Result, error) { return nil, nil }

// uncounted is an engine that cannot count.
type uncounted struct{ *engine }

func (uncounted) Count(context.Context, *esquery.Search) (int64, error) {
	return 0, engineFails(esquery.ErrUnavailable, "")
}

const filesMapping = `{"files":{"mappings":{"properties":{
	"entityType":{"type":"keyword"},
	"name":{"type":"text","fields":{"keyword":{"type":"keyword"}}},
	"parentId":{"type":"keyword"},
	"owner":{"type":"keyword"},
	"created":{"type":"date"},
	"size":{"type":"long"},
	"tenantId":{"type":"keyword"},
	"ssn":{"type":"keyword"}
}}}}`

func validator(t testing.TB, opt *esquery.Options) *esquery.Validator {
	t.Helper()
	m, err := esquery.ParseMapping([]byte(filesMapping))
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"files": m}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// hiding returns a validator that hides the field ssn from the model.
func hiding(t testing.TB) *esquery.Validator {
	return validator(t, &esquery.Options{Sensitive: []string{"ssn"}})
}

func newAgent(t testing.TB, m llm.Model, e searchagent.Engine, opt *searchagent.Options) qed.Agent {
	t.Helper()
	a, err := searchagent.New(m, e, hiding(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// reply is the scripted model's replies to the requests of one name, in order.
func reply(name string, replies ...llmtest.Reply) llmtest.Rule {
	return llmtest.Rule{Name: name, Replies: replies}
}

func isSearch() llmtest.Rule {
	return llmtest.Rule{Name: "classify", Repeat: true, Replies: []llmtest.Reply{
		{JSON: map[string]any{"intent": "search", "confidence": "high", "reasoning": "It asks for documents."}},
	}}
}

type planStep map[string]any

func plan(steps ...planStep) llmtest.Reply {
	return llmtest.Reply{JSON: map[string]any{"steps": append([]planStep{}, steps...), "reason": "Documents hold the id of their folder, not its name."}}
}

func find(key, task string, after ...string) planStep {
	return planStep{"key": key, "task": task, "index": "files", "after": append([]string{}, after...)}
}

func findOne(key, task string, after ...string) planStep {
	s := find(key, task, after...)
	s["one"] = true
	return s
}

func body(text string, show ...string) llmtest.Reply {
	return llmtest.Reply{JSON: map[string]any{"body": text, "show": append([]string{}, show...)}}
}

// generates replies to the requests for the task with that text, in order.
func generates(task string, replies ...llmtest.Reply) llmtest.Rule {
	return llmtest.Rule{Name: "generate", Contains: []string{"The task to be done: " + strconv.Quote(task)}, Replies: replies}
}

func text(s string) llmtest.Reply { return llmtest.Reply{Text: s} }

func fails(kind llm.ErrorKind) llmtest.Reply { return llmtest.Reply{Err: &llm.Error{Kind: kind}} }

// A cheaper model answers the requests of the names that it is for, also in a saved turn.
func TestCheaperModel(t *testing.T) {
	rules := scripted()
	small, large := llmtest.New(rules[0]), llmtest.New(rules[1:]...)
	model := llm.Wrap(large, llm.ByName(map[string]llm.Model{"classify": small}))
	_, got := ask(t, newAgent(t, model, found(2), &searchagent.Options{Store: &store.InMemory{}}), qed.Turn{Thread: "t", Text: taxDocuments})
	if got.Partial || len(small.Requests()) != 1 || len(sent(large, "classify")) != 0 {
		t.Errorf("%d requests to the small model: %+v", len(small.Requests()), got)
	}
}

func engineFails(kind esquery.ErrorKind, reason string) error {
	return &esquery.EngineError{Kind: kind, Reason: reason}
}

// The question of the reference: the documents of a folder that is given by its name.
const (
	findFolder    = "find the folder named Tax"
	findDocuments = "find the documents in it"

	folderBody    = `{"query":{"bool":{"filter":[{"term":{"entityType":"FOLDER"}},{"term":{"name.keyword":"Tax"}}]}}}`
	documentsBody = `{"query":{"bool":{"filter":[{"term":{"entityType":"DOCUMENT"}},{"term":{"parentId":"abc-123"}}]}}}`
)

func folderPlan() llmtest.Reply {
	return plan(findOne("folder", findFolder), find("documents", findDocuments, "folder"))
}

func folders(ids ...string) []doc {
	var docs []doc
	for i, id := range ids {
		docs = append(docs, doc{id, fmt.Sprintf(`{"entityType":"FOLDER","name":"Tax","owner":"owner-%d","ssn":"hidden-%d"}`, i+1, i+1)})
	}
	return docs
}

func files(n int) []doc {
	docs := make([]doc, n)
	for i := range docs {
		docs[i] = doc{"d" + strconv.Itoa(i+1), fmt.Sprintf(`{"entityType":"DOCUMENT","name":"File %d","size":%d,"parentId":"abc-123","ssn":"hidden"}`, i+1, 100+i)}
	}
	return docs
}

// found returns an engine with one folder and its documents.
func found(n int) *engine {
	return &engine{answers: []answer{{contains: `"Tax"`, docs: folders("abc-123")}, {contains: `"abc-123"`, docs: files(n)}}}
}

// scripted returns the replies that answer the question about the folder.
func scripted() []llmtest.Rule {
	return []llmtest.Rule{
		isSearch(), reply("plan", folderPlan()),
		generates(findFolder, body(folderBody)), generates(findDocuments, body(documentsBody, "name", "size")),
		reply("answer", text("There are files in Tax.")),
	}
}

const taxDocuments = "List the documents in the Tax folder"

// run asks one question and returns the events, the answer and the error.
func run(t *testing.T, a qed.Agent, turn qed.Turn) ([]qed.EventData, qed.Answer, error) {
	t.Helper()
	var events []qed.EventData
	var answer qed.Answer
	for e, err := range a.Run(t.Context(), turn) {
		if err != nil {
			return events, answer, err
		}
		events = append(events, e.Data)
		if done, ok := e.Data.(qed.Completed); ok {
			answer = done.Answer
		}
	}
	return events, answer, nil
}

// ask calls run for a turn that must not fail.
func ask(t *testing.T, a qed.Agent, turn qed.Turn) ([]qed.EventData, qed.Answer) {
	t.Helper()
	events, answer, err := run(t, a, turn)
	if err != nil {
		t.Fatal(err)
	}
	return events, answer
}

func all[D qed.EventData](events []qed.EventData) []D {
	var found []D
	for _, e := range events {
		if d, ok := e.(D); ok {
			found = append(found, d)
		}
	}
	return found
}

// sent returns the texts of the requests of one name, in order.
func sent(m *llmtest.Model, name string) []string {
	var texts []string
	for _, req := range m.Requests() {
		if req.Name == name {
			texts = append(texts, req.Messages[len(req.Messages)-1].Content)
		}
	}
	return texts
}

func wants(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%s", what, part, text)
		}
	}
}

func lacks(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s has %q:\n%s", what, part, text)
		}
	}
}

// shown returns a body that ran, without the names of hidden fields.
func shown(ran string) string {
	return strings.Replace(ran, `,"_source":{"excludes":["ssn","ssn.*"]}`, "", 1)
}

func TestAnswerCarriesItsProof(t *testing.T) {
	m, e := llmtest.Scripted(t, scripted()...), found(2)
	events, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})

	if got.Text != "There are files in Tax." || got.Partial {
		t.Errorf("Answer = %q, partial %v (%s)", got.Text, got.Partial, got.PartialReason)
	}
	if len(got.Queries) != 2 {
		t.Fatalf("the answer has %d queries, want one a step", len(got.Queries))
	}
	for i, want := range []qed.Query{
		{Task: "folder", Written: folderBody, Rows: 1}, {Task: "documents", Written: documentsBody, Rows: 2},
	} {
		q := got.Queries[i]
		if q.Task != want.Task || q.Index != "files" || q.Written != want.Written || q.Rows != want.Rows || q.Executed != shown(e.ran[i]) || q.Cached {
			t.Errorf("query %d = %+v", i, q)
		}
	}
	wants(t, "the search", e.ran[1], `"size":100`, `"track_total_hits":true`)
	if got.Table == nil || len(got.Table.Rows) != 2 || got.Table.Columns[0].Name != "name" || got.Table.Columns[1].Name != "size" ||
		got.Table.Rows[1][0] != "File 2" || got.Table.Rows[1][1] != int64(101) {
		t.Errorf("table = %+v", got.Table)
	}
	if len(got.Citations) != 3 || got.Citations[0] != (qed.Citation{Title: "File 1", Location: "files/d1"}) || got.Citations[2].Title != "Tax" {
		t.Errorf("sources = %+v", got.Citations)
	}
	if got.Usage.Calls != 5 {
		t.Errorf("Usage.Calls = %d, want 5", got.Usage.Calls)
	}

	planned := all[qed.Planned](events)
	if len(planned) != 1 || planned[0].Reason == "" || len(planned[0].Tasks) != 2 || !slices.Equal(planned[0].Tasks[1].After, []string{"folder"}) {
		t.Errorf("planned %+v", planned)
	}
	var order []string
	for _, e := range events {
		switch d := e.(type) {
		case qed.TaskStarted:
			order = append(order, "start "+d.Key)
		case qed.TaskFinished:
			order = append(order, fmt.Sprint("end ", d.Key, " ", d.Rows, d.Error))
		}
	}
	if want := []string{"start folder", "end folder 1", "start documents", "end documents 2"}; !slices.Equal(order, want) {
		t.Errorf("steps: %q, want %q", order, want)
	}
	var spoken strings.Builder
	for _, tok := range all[qed.Token](events) {
		spoken.WriteString(tok.Content)
	}
	if spoken.String() != got.Text {
		t.Errorf("the tokens say %q, the answer %q", spoken.String(), got.Text)
	}
	if d := classifications(events); len(d) != 1 || d[0].Route != "search" || d[0].Confidence != "high" {
		t.Errorf("classified as %+v", d)
	}
	wants(t, "the prompt of the second step", sent(m, "generate")[1], "abc-123", `"owner":"owner-1"`)
	wants(t, "the prompt for the words", sent(m, "answer")[0], "File 1", "File 2")
}

func TestNew(t *testing.T) {
	v := hiding(t)
	for name, make := range map[string]func() (qed.Agent, error){
		"no model":     func() (qed.Agent, error) { return searchagent.New(nil, &engine{}, v, nil) },
		"no engine":    func() (qed.Agent, error) { return searchagent.New(llmtest.New(), nil, v, nil) },
		"no validator": func() (qed.Agent, error) { return searchagent.New(llmtest.New(), &engine{}, nil, nil) },
		"a negative limit": func() (qed.Agent, error) {
			return searchagent.New(llmtest.New(), &engine{}, v, &searchagent.Options{PageSize: -1})
		},
		"more than the validator allows": func() (qed.Agent, error) {
			return searchagent.New(llmtest.New(), &engine{}, v, &searchagent.Options{PageSize: 20_000, MaxRows: 20_000})
		},
		"too large a limit": func() (qed.Agent, error) {
			return searchagent.New(llmtest.New(), &engine{}, v, &searchagent.Options{MaxCorrections: 1 << 30})
		},
		"an index that is not there": func() (qed.Agent, error) {
			return searchagent.New(llmtest.New(), &engine{}, v, &searchagent.Options{About: map[string]string{"flies": "insects"}})
		},
		"Durable without a Store": func() (qed.Agent, error) {
			return searchagent.New(llmtest.New(), &engine{}, v, &searchagent.Options{Durable: &qed.DurableOptions{}})
		},
	} {
		if a, err := make(); err == nil || a != nil {
			t.Errorf("%s: New returned %v, %v", name, a, err)
		}
	}
}
