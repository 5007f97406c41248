package sealed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
	"github.com/qedkit/qed/store/usermemory"
)

// A patient is the state of the clinic's graph.
type patient struct {
	Request string
	Rows    *finding.RowsRef
	Ward    string
}

// clinic returns an agent whose conversation has a text with "zebra" in
// everything that a run records. ledger counts its calls.
func clinic(t *testing.T, ledger *qedtest.Ledger, memory *usermemory.Memory) qed.Agent {
	t.Helper()
	type arguments struct {
		Name string `json:"name"`
	}
	tools := qed.NewRegistry(nil)
	err := tools.Add(qed.NewTool("admit", "admits a patient", func(_ context.Context, a arguments) (string, error) {
		ledger.Do("admit")
		return "zebra-result of " + a.Name, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	g := qed.NewGraph[patient]("clinic")
	g.Node("find", func(ctx context.Context, s patient) (patient, error) {
		table := &qed.Table{Columns: []qed.Column{{Name: "zebra-column"}}}
		for i := range 20 {
			if err := table.Append(fmt.Sprintf("zebra-row %d", i)); err != nil {
				return s, err
			}
		}
		var err error
		s.Rows, err = finding.SaveRows(ctx, table)
		return s, err
	}, nil)
	g.Node("admit", func(ctx context.Context, s patient) (patient, error) {
		_, err := tools.Do(ctx, llm.ToolCall{ID: "1", Name: "admit", Arguments: json.RawMessage(`{"name":"zebra-argument"}`)})
		if err != nil {
			return s, err
		}
		_, err = qed.Step(ctx, "note", "zebra-input", func(context.Context) (string, error) {
			ledger.Do("note")
			return "zebra-value", nil
		})
		if err != nil {
			return s, err
		}
		s.Ward, err = qed.Interrupt[string](ctx, question.Question{Text: "zebra-question?", Choices: []question.Choice{
			{ID: "zebra-reply", Text: "zebra-choice"}, {ID: "B", Text: "zebra-other"},
		}})
		if err != nil {
			return s, err
		}
		return s, qed.Remember(ctx, "wards", "zebra-entry "+s.Ward)
	}, nil)
	g.Node("tell", func(ctx context.Context, s patient) (patient, error) {
		entries, err := qed.Remembered[string](ctx, "wards", 0)
		if err != nil || len(entries) == 0 {
			return s, fmt.Errorf("entries: %v, %w", entries, err)
		}
		user := usermemory.User{Tenant: qed.Info(ctx).Turn.Tenant, ID: qed.Info(ctx).Turn.User}
		past := usermemory.PastTurn{Thread: qed.Info(ctx).Turn.Thread, Turn: 1, Request: s.Request, Answer: "zebra-past"}
		return s, memory.Note(ctx, user, past, []finding.Entity{{Kind: "patient", Name: "zebra-entity"}})
	}, nil)
	g.Edge(qed.Start, "find")
	g.Edge("find", "admit")
	g.Edge("admit", "tell")
	g.Edge("tell", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return qed.NewAgent(runner,
		func(_ context.Context, s patient, turn qed.Turn) (patient, error) {
			s.Request = turn.Text
			return s, nil
		},
		func(ctx context.Context, s patient) (qed.Answer, error) {
			table, err := s.Rows.Table(ctx)
			if err != nil {
				return qed.Answer{}, err
			}
			return qed.Answer{Text: fmt.Sprintf("zebra-answer: %d rows, ward %s", len(table.Rows), s.Ward), Table: table}, nil
		}, nil)
}

// A conversation with everything that the runtime records is resumed over a
// sealed store, in another process as it were, and its database has none of it.
func TestDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.db")
	var ledger qedtest.Ledger
	user := usermemory.User{Tenant: "acme", ID: "ann"}
	begin := qed.Turn{Thread: "thread-1", User: "ann", Tenant: "acme", Text: "zebra-message: who is ill?"}

	inner := openSQLite(t, path)
	st := over(t, inner, newKeys(t, "a"))
	agent := qed.Durable(clinic(t, &ledger, &usermemory.Memory{Store: st}), st, nil)
	asked, err := qed.Ask(t.Context(), agent, begin)
	if err != nil || len(asked.Questions) != 1 || !asked.Saved {
		t.Fatalf("asked %+v, %v", asked, err)
	}
	if err := inner.Close(); err != nil {
		t.Fatal(err)
	}

	inner = openSQLite(t, path)
	st = over(t, inner, newKeys(t, "a", "b")) // the key was rotated
	memory := &usermemory.Memory{Store: st}
	agent = qed.Durable(clinic(t, &ledger, memory), st, nil)
	reply := qedtest.Reply(asked.Questions[0], `"zebra-reply"`)
	answer, err := qed.Ask(t.Context(), agent, qed.Turn{
		Thread: "thread-1", User: "ann", Tenant: "acme", Replies: []question.Reply{reply},
	})
	if err != nil || answer.Text != "zebra-answer: 20 rows, ward zebra-reply" || !answer.Saved {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	ledger.Want(t, map[string]int{"admit": 1, "note": 1})
	past, err := memory.Recall(t.Context(), user, "who is ill", 1)
	if err != nil || len(past) != 1 || past[0].Answer != "zebra-past" {
		t.Errorf("past turns: %+v, %v", past, err)
	}

	// A fork is sealed anew, for its own thread.
	if err := qed.Fork(t.Context(), store.ForUser(st, "acme", "ann"), "thread-1", 0, "thread-2"); err != nil {
		t.Fatal(err)
	}
	if said, err := qed.Messages(t.Context(), store.ForUser(st, "acme", "ann"), "thread-2", 0); err != nil || len(said) != 4 {
		t.Errorf("messages of the fork: %v, %v", said, err)
	}

	kinds := map[store.Kind]bool{}
	var all []byte
	for _, rec := range read(t, store.ForUser(st, "acme", "ann"), "thread-1") {
		kinds[rec.Kind] = true
		all = append(all, rec.Data...)
	}
	for _, what := range []string{
		"message", "column", "row 19", "argument", "result", "value", "question", "choice", "reply", "entry", "answer",
	} {
		if !bytes.Contains(all, []byte("zebra-"+what)) {
			t.Errorf("the conversation has no %s: the test does not cover it", what)
		}
	}
	for _, kind := range []store.Kind{
		store.Began, store.Resumed, store.Ended, store.Checkpoint, store.Called, store.Returned, store.Question,
		store.Reply, store.Message, store.Saved, store.Memory,
	} {
		if !kinds[kind] {
			t.Errorf("the conversation has no record of kind %s: the test does not cover it", kind)
		}
	}
	if err := inner.Close(); err != nil {
		t.Fatal(err)
	}
	hasNone(t, path, "zebra")
}

// hasNone fails if a file, or one that belongs to it, has a text.
func hasNone(t *testing.T, path, text string) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(content, []byte(text)); at >= 0 {
			t.Errorf("%s has %q", filepath.Base(file), content[at:min(at+60, len(content))])
		}
	}
}

// A process without a key, or with another one under the same id, does not start
// a conversation again, and with the key the conversation is continued.
func TestMissingKey(t *testing.T) {
	inner := new(store.InMemory)
	good := over(t, inner, newKeys(t, "a", "b"))
	say(t, good)
	before := read(t, inner, "t")
	wrong, err := sealed.StaticKeys("b", map[string][]byte{"b": secret("c")})
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string]sealed.Keys{"no key": newKeys(t, "c"), "another key": wrong} {
		st := over(t, inner, keys)
		if answer := say(t, st); answer.Saved {
			t.Errorf("%s: a turn was saved", name)
		}
		if _, err := qed.Ask(t.Context(), qed.Durable(counting, st, nil), qed.Turn{Thread: "t"}); !isKeyError(err) {
			t.Errorf("%s: a turn that resumes: %v, want a KeyError", name, err)
		}
		if _, err := qed.Messages(t.Context(), st, "t", 0); !isKeyError(err) {
			t.Errorf("%s: messages: %v, want a KeyError", name, err)
		}
	}
	if after := read(t, inner, "t"); len(after) != len(before) {
		t.Fatalf("the thread has %d records, had %d", len(after), len(before))
	}
	if answer := say(t, good); answer.Text != "after 2 messages" || !answer.Saved {
		t.Errorf("with the key again: %+v", answer)
	}
}

func isKeyError(err error) bool {
	_, ok := errors.AsType[*sealed.KeyError](err)
	return ok && !errors.Is(err, store.ErrCorrupt)
}

// An append whose answer was lost is found again, although it is sealed anew in
// each attempt: nothing is saved twice, and the turn is saved.
func TestLostAnswer(t *testing.T) {
	inner := new(store.InMemory)
	lost := 0
	st := over(t, &qedtest.Store{
		Store: inner,
		OnAppend: func(ctx context.Context, recs []store.Record, do func(context.Context) error) error {
			if err := do(ctx); err != nil || lost == 3 {
				return err
			}
			lost++
			return errors.New("the connection was lost")
		},
	}, newKeys(t, "a"))
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		text, err := qed.StepOnce(ctx, "send", 1, func(context.Context) (string, error) { return "sent", nil })
		return qed.Answer{Text: text}, err
	}), st, nil)
	answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "hello"})
	if err != nil || !answer.Saved || lost != 3 {
		t.Fatalf("answer %+v, %v after %d lost answers", answer, err, lost)
	}
	var kinds []string
	for _, rec := range read(t, st, "t") {
		kinds = append(kinds, string(rec.Kind))
	}
	if got := strings.Join(kinds, " "); got != "began message called returned message ended" {
		t.Errorf("records: %s", got)
	}
}

type tenantID struct{}

// contextKeys has a key for each tenant, which it finds in the context.
type contextKeys struct{ sealed.Keys }

func (k contextKeys) CurrentKey(ctx context.Context, _ string) (string, error) {
	if id, ok := ctx.Value(tenantID{}).(string); ok {
		return id, nil
	}
	return "", errors.New("the context has no tenant")
}

// Every record of a turn is sealed with a key that is chosen by a value of the
// turn's context, also those that are written after the turn was cancelled.
func TestKeyByContext(t *testing.T) {
	inner := new(store.InMemory)
	st := over(t, inner, contextKeys{newKeys(t, "a", "b")})
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), tenantID{}, "a"))
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		defer cancel()
		_, err := qed.Step(ctx, "look", 1, func(context.Context) (int, error) { return 1, nil })
		return qed.Answer{Text: "done"}, errors.Join(err, qed.Remember(ctx, "looks", 1))
	}), st, nil)
	if _, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	recs := read(t, inner, "t")
	if last := recs[len(recs)-1]; len(recs) < 6 || last.Kind != store.Ended {
		t.Errorf("the thread has %d records and ends with %s", len(recs), last.Kind)
	}
	for _, rec := range recs {
		if !bytes.HasPrefix(rec.Data, []byte(`{"key":"a"`)) {
			t.Errorf("number %d, %s: %.20s", rec.Seq, rec.Kind, rec.Data)
		}
	}
}

// counting is an agent that answers with how many messages it got.
var counting = qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
	return qed.Answer{Text: fmt.Sprintf("after %d messages", len(turn.History))}, nil
})

// say takes a turn of counting on the thread t.
func say(t *testing.T, st store.Store) qed.Answer {
	t.Helper()
	answer, err := qed.Ask(t.Context(), qed.Durable(counting, st, nil), qed.Turn{Thread: "t", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
