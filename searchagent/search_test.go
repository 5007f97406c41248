package searchagent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

const findAll = "find all documents"

// single returns a model that plans one task and writes the given searches for it.
func single(bodies ...llmtest.Reply) *llmtest.Model {
	return llmtest.New(isSearch(), reply("plan", plan(find("all", findAll))), reply("generate", bodies...), reply("answer", text("Here they are.")))
}

const (
	invented = `{"query":{"term":{"folderName":"Tax"}}}`
	right    = `{"query":{"term":{"name.keyword":"Tax"}}}`
	other    = `{"query":{"match":{"name":"Tax"}}}`
)

// A refused search goes back to the model with its problems.
func TestRefusedSearchIsWrittenAnew(t *testing.T) {
	m, e := single(body(invented), body("```json\n"+right+"\n```")), &engine{answers: []answer{{docs: files(1)}}}
	events, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
	if got.Partial || len(e.ran) != 1 || len(got.Queries) != 1 {
		t.Fatalf("answer = %+v, ran %q", got, e.ran)
	}
	if q := got.Queries[0]; q.Written != right || len(q.Corrections) != 1 || q.Corrections[0].Query != invented || q.Corrections[0].Reason == "" {
		t.Errorf("query = %+v", q)
	}
	refused := all[qed.QueryRefused](events)
	if len(refused) != 1 || refused[0].Code != string(esquery.ErrUnknownField) || len(refused[0].Candidates) == 0 {
		t.Errorf("refused %+v", refused)
	}
	written := all[qed.QueryWritten](events)
	if len(written) != 2 || written[0].Query != invented || written[1].Query != right || written[1].Reason == "" {
		t.Errorf("written %+v", written)
	}
	wants(t, "the second prompt", sent(m, "generate")[1], "folderName", refused[0].Candidates[0], "It cannot be used")
}

// The validator's fixes are part of the proof.
func TestFixedSearch(t *testing.T) {
	const misspelt = `{"query":{"term":{"parent_id":"abc-123"}}}`
	m, e := single(body(misspelt)), &engine{answers: []answer{{contains: "parentId", docs: files(1)}}}
	_, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
	if got.Partial || len(got.Queries) != 1 || got.Queries[0].Written != misspelt || len(got.Queries[0].Corrections) != 1 {
		t.Fatalf("answer = %+v", got)
	}
	wants(t, "the correction", got.Queries[0].Corrections[0].Reason, "fixed", "parentId")
}

// The third prompt contains the first two tries.
func TestEarlierTriesAreInThePrompt(t *testing.T) {
	m := single(body(`{"query":{"term":{"first":1}}}`), body(`{"query":{"term":{"second":1}}}`), body(right))
	_, got := ask(t, newAgent(t, m, &engine{answers: []answer{{docs: files(1)}}}, nil), qed.Turn{Text: taxDocuments})
	if got.Partial {
		t.Errorf("answer = %+v", got)
	}
	wants(t, "the third prompt", sent(m, "generate")[2], "failed before that", `\"first\"`, `\"second\"`)
}

func TestCorrectionsAreLimited(t *testing.T) {
	bad := func(n string) llmtest.Reply { return body(`{"query":{"term":{"f` + n + `":1}}}`) }
	for _, tt := range []struct {
		name    string
		opt     searchagent.Options
		bodies  []llmtest.Reply
		partial bool
	}{
		{name: "three", bodies: []llmtest.Reply{bad("1"), bad("2"), bad("3"), body(right)}},
		{name: "no more than three", bodies: []llmtest.Reply{bad("1"), bad("2"), bad("3"), bad("4")}, partial: true},
		{name: "none", opt: searchagent.Options{MaxCorrections: -1}, bodies: []llmtest.Reply{bad("1")}, partial: true},
		{name: "the same again", bodies: []llmtest.Reply{bad("1"), body(`{"query": {"term": {"f1": 1}}}`)}, partial: true},
		{name: "no body", bodies: []llmtest.Reply{{JSON: map[string]any{"body": "", "reason": "There is no such field."}}}, partial: true},
		{name: "no body after a refusal", bodies: []llmtest.Reply{bad("1"), {JSON: map[string]any{"body": " "}}}, partial: true},
		{name: "no JSON", bodies: []llmtest.Reply{body("SELECT 1"), body(right)}},
		{name: "an array", bodies: []llmtest.Reply{body("[]"), body(right)}},
		{name: "nonsense", bodies: []llmtest.Reply{text("?"), text("?"), text("?")}, partial: true},
		{name: "a refusal", bodies: []llmtest.Reply{fails(llm.ErrRefusal)}, partial: true},
		{name: "a script", bodies: []llmtest.Reply{body(`{"query":{"script":{"script":"1"}}}`), body(right)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, e := single(tt.bodies...), &engine{answers: []answer{{docs: files(1)}}}
			events, got := ask(t, newAgent(t, m, e, &tt.opt), qed.Turn{Text: taxDocuments})
			if n := len(sent(m, "generate")); n < len(tt.bodies) {
				t.Errorf("the model wrote %d times, want %d", n, len(tt.bodies))
			}
			if !tt.partial {
				if got.Partial || got.Text != "Here they are." || len(e.ran) != 1 {
					t.Errorf("answer = %+v", got)
				}
				return
			}
			finished := all[qed.TaskFinished](events)
			if !got.Partial || got.Table != nil || len(e.ran) != 0 || len(finished) != 1 || finished[0].Error == "" {
				t.Errorf("answer = %+v, ran %q, finished %+v", got, e.ran, finished)
			}
			wants(t, "the text", got.Text, findAll)
			lacks(t, "the text", got.Text, "model", "field \"", "/query")
		})
	}
}

// Failures that another search may avoid go back to the model. Others do not, and
// are not retried here.
func TestEngineFails(t *testing.T) {
	for _, tt := range []struct {
		name    string
		err     error
		times   int // that it fails
		cured   bool
		partial bool // no error
		ran     int
		told    string // what the model must be told
	}{
		{name: "rejected", err: engineFails(esquery.ErrBadRequest, "no such analyzer"), times: 1, cured: true, ran: 2, told: "no such analyzer"},
		{name: "rejected twice", err: engineFails(esquery.ErrBadRequest, "no such analyzer"), times: 2, cured: true, ran: 3},
		{name: "rejected for ever", err: engineFails(esquery.ErrBadRequest, "no such analyzer"), times: 9, partial: true, ran: 4},
		{name: "too large", err: engineFails(esquery.ErrTooLarge, ""), times: 1, cured: true, ran: 2, told: "too large"},
		{name: "too slow", err: &esquery.EngineError{Kind: esquery.ErrTimeout, Status: 504, Reason: "30s"}, times: 1, cured: true, ran: 2, told: "30s"},
		{name: "stopped", err: &esquery.EngineError{Kind: esquery.ErrPartial, Reason: "30s", Partial: &esquery.Result{TimedOut: true}}, times: 1, cured: true, ran: 2, told: "30s"},
		{name: "silent", err: engineFails(esquery.ErrTimeout, "30s"), times: 1, ran: 1},
		{name: "faulty", err: &esquery.EngineError{Kind: esquery.ErrUnavailable, Status: 500, Reason: "a null pointer"}, times: 1, cured: true, ran: 2, told: "a null pointer"},
		{name: "faulty twice", err: &esquery.EngineError{Kind: esquery.ErrUnavailable, Status: 500}, times: 2, ran: 2},
		{name: "gone", err: engineFails(esquery.ErrNotFound, ""), times: 1, ran: 1},
		{name: "unreachable", err: engineFails(esquery.ErrUnavailable, ""), times: 1, ran: 1},
		{name: "busy", err: engineFails(esquery.ErrRateLimit, ""), times: 1, ran: 1},
		{name: "wrong credentials", err: engineFails(esquery.ErrAuth, ""), times: 1, ran: 1},
		{name: "not an engine", err: engineFails(esquery.ErrProtocol, ""), times: 1, ran: 1},
		{name: "shards without a result", err: engineFails(esquery.ErrPartial, ""), times: 1, ran: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &engine{}
			for range tt.times {
				e.answers = append(e.answers, answer{err: tt.err, once: true})
			}
			e.answers = append(e.answers, answer{docs: files(1)})
			m := single(body(right), body(other), body(`{"query":{"match":{"name":"taxes"}}}`), body(`{"query":{"match":{"name":"a"}}}`), body(`{}`))
			_, got, err := run(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
			if len(e.ran) != tt.ran {
				t.Errorf("ran %d searches, want %d", len(e.ran), tt.ran)
			}
			switch {
			case tt.cured && (err != nil || got.Partial || len(got.Queries[0].Corrections) != tt.times):
				t.Errorf("answer = %+v, %v", got, err)
			case tt.partial && (err != nil || !got.Partial):
				t.Errorf("answer = %+v, %v", got, err)
			case !tt.cured && !tt.partial && !errors.Is(err, tt.err.(*esquery.EngineError).Kind):
				t.Errorf("error = %v, want %v", err, tt.err)
			}
			if tt.told != "" {
				wants(t, "the second prompt", sent(m, "generate")[1], tt.told)
			}
		})
	}
}

// If the engine fails with a search and there is no other one, the turn fails as if the
// engine could not be reached: other words of the user would not help.
func TestEngineFault(t *testing.T) {
	for name, second := range map[string]llmtest.Reply{
		"the same search": body(right),
		"no search":       body(""),
		"a refused one":   body(`{"query":{"term":{"nam":"a"}}}`),
		"no model":        fails(llm.ErrRefusal),
	} {
		for corrections := range 3 {
			fault := &esquery.EngineError{Kind: esquery.ErrUnavailable, Status: 500, Reason: "a null pointer", Index: "files"}
			e := &engine{answers: []answer{{err: fault}}}
			m := single(body(right), second, second, second)
			_, got, err := run(t, newAgent(t, m, e, &searchagent.Options{MaxCorrections: corrections - 1}), qed.Turn{Text: taxDocuments})
			if !errors.Is(err, esquery.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "a null pointer") || len(e.ran) != 1 {
				t.Errorf("%s, %d corrections: answer = %+v, %v", name, corrections-1, got, err)
			}
		}
	}
}

// The user of a turn that failed reads what failed.
func TestEngineFailsForUsers(t *testing.T) {
	for kind, words := range map[esquery.ErrorKind]string{
		esquery.ErrUnavailable: "weil die Suchmaschine ausgefallen ist", esquery.ErrNotFound: "Der Index files fehlt oder ist geschlossen",
	} {
		for _, st := range []store.Store{nil, &store.InMemory{}} {
			for _, status := range []int{0, 500, 503} {
				fault := &esquery.EngineError{Kind: kind, Status: status, Index: "files"}
				a := newAgent(t, single(body(right), body(right)), &engine{answers: []answer{{err: fault}}}, &searchagent.Options{Store: st})
				said := ""
				for e := range a.Run(t.Context(), qed.Turn{Thread: "t", Text: taxDocuments, Language: "de"}) {
					if f, ok := e.Data.(qed.Failed); ok {
						said = f.Message
					}
				}
				wants(t, fmt.Sprint(kind, " ", status), said, words)
			}
		}
	}
}

// The tasks that ran are part of the answer if a later one cannot run, with a Store
// and without.
func TestEngineFailsInTheMiddle(t *testing.T) {
	for _, tt := range []struct {
		kind  esquery.ErrorKind
		words string
	}{
		{esquery.ErrNotFound, "The index files is missing or closed."},
		{esquery.ErrUnavailable, "the search engine failed"},
	} {
		for _, st := range []store.Store{nil, &store.InMemory{}} {
			e := &engine{answers: []answer{{contains: `"Tax"`, docs: folders("abc-123")}, {err: &esquery.EngineError{Kind: tt.kind, Index: "files"}}}}
			_, got := ask(t, newAgent(t, llmtest.New(scripted()...), e, &searchagent.Options{Store: st}), question1)
			if !got.Partial || len(got.Queries) != 1 || got.Queries[0].Task != "folder" ||
				got.Text == "" || len(got.Citations) != 1 || got.Saved != (st != nil) {
				t.Errorf("%v: answer = %+v", tt.kind, got)
			}
			wants(t, "the reason", got.PartialReason, "documents", tt.words)
			lacks(t, "the reason", got.PartialReason, "qed:", "node")
		}
	}
}

// A result with missing shards is reported as partial, and an empty result of the rest is
// not a result.
func TestPartialResults(t *testing.T) {
	part := &esquery.Result{Total: esquery.Total{Value: 1, Exact: true}, Hits: []esquery.Hit{{Index: "files", ID: "1", Source: []byte(`{"name":"a"}`)}}}
	for name, a := range map[string]answer{
		"as an error":  {err: &esquery.EngineError{Kind: esquery.ErrPartial, Partial: part}},
		"as a result":  {docs: files(1), partial: true},
		"with nothing": {partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := ask(t, newAgent(t, single(body(right)), &engine{answers: []answer{a}}, nil), qed.Turn{Text: taxDocuments})
			if !got.Partial || !strings.Contains(got.PartialReason, "part of the data") || (got.Table == nil) != (name == "with nothing") {
				t.Errorf("answer = %+v", got)
			}
		})
	}
}

// Tasks that do not need each other run concurrently.
func TestStepsRunAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(text string) llmtest.Reply { r := body(text); r.Delay = time.Minute; return r }
		m := llmtest.Scripted(t, isSearch(),
			reply("plan", plan(find("a", "find a"), find("b", "find b"), find("both", "find both", "a", "b"))),
			generates("find a", slow(`{"query":{"term":{"owner":"a"}}}`)), generates("find b", slow(`{"query":{"term":{"owner":"b"}}}`)),
			generates("find both", body(`{"query":{"terms":{"owner":["a","b"]}}}`)),
			reply("answer", text("Both.")))
		e := &engine{answers: []answer{{contains: `["a","b"]`, docs: files(2)}, {docs: files(1)}}}
		begun := time.Now()
		_, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: "a and b"})
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("it took %v, which is one after the other", took)
		}
		if got.Partial || len(got.Queries) != 3 || got.Queries[2].Task != "both" {
			t.Errorf("answer = %+v", got)
		}
		if prompts := sent(m, "generate"); strings.Count(prompts[2], "An earlier task") != 2 {
			t.Errorf("the prompt of the last step lacks one of both:\n%s", prompts[2])
		}
	})
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	e := &engine{answers: []answer{{err: engineFails(esquery.ErrTimeout, "")}}}
	m := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		if req.Name == "generate" {
			cancel(gone)
		}
		return single(body(right)).Generate(ctx, req, stream)
	})
	if _, err := qed.Ask(ctx, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}
