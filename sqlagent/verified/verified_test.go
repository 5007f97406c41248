package verified_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/sqlagent/verified"
)

// A user finds an answer right, and a person approves it as an example.
func Example() {
	set, err := verified.Read(strings.NewReader(
		`{"question": "How many ships are late?", "sql": "SELECT count(*) FROM ship WHERE late"}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	turn := qed.Turn{Tenant: "acme", Text: "How many cranes are idle?"}
	answer := qed.Answer{Queries: []qed.Query{{Language: "sql", Written: "SELECT count(*) FROM crane WHERE idle", Executed: "..."}}}
	pair, err := verified.FromAnswer(turn, answer)
	if err != nil {
		log.Fatal(err)
	}
	if err := set.Propose(pair); err != nil {
		log.Fatal(err)
	}
	for _, pair := range set.Proposed() {
		pair.By, pair.Tenant = "ann", "" // for all tenants
		if err := set.Approve(pair); err != nil {
			log.Fatal(err)
		}
	}
	similar, err := set.Similar(context.Background(), "other", "Which cranes are idle now?", 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, pair := range similar {
		fmt.Println(pair.Question, pair.SQL)
	}
	// Output: How many cranes are idle? SELECT count(*) FROM crane WHERE idle
}

func pair(question, sql string) verified.Pair {
	return verified.Pair{Question: question, SQL: sql, By: "ann", Time: time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)}
}

func questions(pairs []verified.Pair) []string {
	var all []string
	for _, p := range pairs {
		all = append(all, p.Question+" "+p.SQL)
	}
	return all
}

func same(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func open(t *testing.T, path string) *verified.Set {
	t.Helper()
	set, err := verified.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

// What is decided stays so when the file is opened again.
func TestDecisions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "questions.jsonl")
	set := open(t, path)
	late, idle, bad := pair("Late ships?", "SELECT 1"), pair("Idle cranes?", "SELECT 2"), pair("Bad?", "SELECT 3")
	for _, err := range []error{
		set.Propose(late), set.Propose(idle), set.Propose(bad), set.Propose(pair("late  SHIPS?", "select 1")),
		set.Approve(late), set.Reject(bad), set.Propose(bad), set.Propose(late),
		set.Approve(pair("Late ships?", "SELECT 4")), // replaces
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]*verified.Set{"now": set, "opened again": open(t, path)} {
		same(t, name+": approved", []string{"Late ships? SELECT 4"}, questions(s.Approved()))
		same(t, name+": proposed", []string{"Idle cranes? SELECT 2"}, questions(s.Proposed()))
		found, err := s.Similar(t.Context(), "", "Which cranes and ships?", 5)
		if err != nil {
			t.Fatal(err)
		}
		same(t, name+": similar", []string{"Late ships? SELECT 4"}, questions(found))
	}
	if err := set.Approve(verified.Pair{Question: "q", SQL: "s"}); !errors.Is(err, verified.ErrInvalid) {
		t.Errorf("approved by nobody: %v", err)
	}
}

// A pair of a tenant is an example for that tenant alone.
func TestTenants(t *testing.T) {
	set, err := verified.Read(strings.NewReader(""), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tenant := range []string{"", "acme", "bolt"} {
		p := pair("Late ships of "+tenant+"?", "SELECT 1")
		p.Tenant = tenant
		if err := set.Approve(p); err != nil {
			t.Fatal(err)
		}
	}
	for tenant, want := range map[string][]string{
		"acme": {"Late ships of acme? SELECT 1", "Late ships of ? SELECT 1"},
		"":     {"Late ships of ? SELECT 1"},
		"none": {"Late ships of ? SELECT 1"},
	} {
		found, err := set.Similar(t.Context(), tenant, "late ships", 5)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "tenant "+tenant, want, questions(found))
	}
}

type vectors func(texts []string) ([][]float32, error)

func (v vectors) Embed(_ context.Context, texts []string) ([][]float32, error) { return v(texts) }

// An embedder finds questions without a common word. It embeds each question once, and words are
// used if it fails.
func TestEmbedder(t *testing.T) {
	var embedded []string
	var down error
	embedder := vectors(func(texts []string) ([][]float32, error) {
		if down != nil {
			return nil, down
		}
		var out [][]float32
		for _, text := range texts {
			embedded = append(embedded, text)
			switch {
			case strings.Contains(text, "ship"), strings.Contains(text, "vessel"):
				out = append(out, []float32{1, 0, 0})
			case strings.Contains(text, "crane"):
				out = append(out, []float32{0, 1, 0})
			default:
				out = append(out, []float32{0, 0, 1})
			}
		}
		return out, nil
	})
	set, err := verified.Read(strings.NewReader(`{"question":"Late ships?","sql":"SELECT 1"}
{"question":"Idle cranes?","sql":"SELECT 2"}`), &verified.Options{Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		found, err := set.Similar(t.Context(), "", "delayed vessels", 5)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "by meaning", []string{"Late ships? SELECT 1"}, questions(found))
	}
	if n := strings.Count(strings.Join(embedded, "\n"), "Late ships?"); n != 1 {
		t.Errorf("the question was embedded %d times", n)
	}
	down = errors.New("down")
	found, err := set.Similar(t.Context(), "", "idle cranes", 5)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "by words", []string{"Idle cranes? SELECT 2"}, questions(found))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.Similar(ctx, "", "idle cranes", 5); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestFromAnswer(t *testing.T) {
	ran := qed.Query{Language: "sql", Written: "SELECT 1", Executed: "SELECT 1 LIMIT 5"}
	other := ran
	other.Language = "elasticsearch"
	for name, tt := range map[string]struct {
		answer qed.Answer
		want   error
	}{
		"one statement":     {qed.Answer{Queries: []qed.Query{ran}}, nil},
		"partial":           {qed.Answer{Queries: []qed.Query{ran}, Partial: true}, verified.ErrNotProved},
		"two":               {qed.Answer{Queries: []qed.Query{ran, ran}}, verified.ErrNotProved},
		"none":              {qed.Answer{}, verified.ErrNotProved},
		"not run":           {qed.Answer{Queries: []qed.Query{{Language: "sql", Written: "SELECT 1"}}}, verified.ErrNotProved},
		"of another engine": {qed.Answer{Queries: []qed.Query{other}}, verified.ErrNotProved},
	} {
		got, err := verified.FromAnswer(qed.Turn{Tenant: "acme", User: "bob", Text: "One?"}, tt.answer)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		if want := (verified.Pair{Question: "One?", SQL: "SELECT 1", Tenant: "acme"}); err == nil && !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if _, err := verified.FromAnswer(qed.Turn{}, qed.Answer{Queries: []qed.Query{ran}}); !errors.Is(err, verified.ErrInvalid) {
		t.Errorf("without a question: %v", err)
	}
}

func TestInvalidLines(t *testing.T) {
	const ok = `{"question":"a","sql":"b"}` + "\n"
	for name, tt := range map[string]struct{ text, problem string }{
		"no object":       {ok + "x\n" + ok, "line 2: "},
		"an unknown name": {`{"question":"a","sql":"b","query":"c"}` + "\n", `unknown field "query"`},
		"two objects":     {`{"question":"a","sql":"b"} {}` + "\n", "data after the JSON value"},
		"no statement":    {ok + `{"question":"a","sql":" "}` + "\n", `line 2: verified: not a pair of a question and a statement: "sql" is empty`},
		"another status":  {`{"question":"a","sql":"b","status":"maybe"}` + "\n", `"maybe"`},
		"too long":        {`{"question":"` + strings.Repeat("a", 5000) + `","sql":"b"}` + "\n", "5000 bytes"},
		"an endless line": {strings.Repeat("a", 1<<20), "line 1: "},
		"cut off before":  {`{"question":"a",` + "\n" + ok, "line 1: "},
	} {
		_, err := verified.Read(strings.NewReader(tt.text), nil)
		if !errors.Is(err, verified.ErrInvalid) || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: error %v, want %q", name, err, tt.problem)
		}
	}
}

// A line that a crash cut off is removed, and the next change follows the last whole line. A last
// line without a line break is kept.
func TestUnfinishedFile(t *testing.T) {
	for name, tail := range map[string]string{"cut off": `{"question":"c","s`, "no line break": `{"question":"c","sql":"d"}`} {
		path := filepath.Join(t.TempDir(), "questions.jsonl")
		if err := os.WriteFile(path, []byte(`{"question":"a","sql":"b"}`+"\n"+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		want := []string{"a b", "e f"}
		if name != "cut off" {
			want = []string{"a b", "c d", "e f"}
		}
		set := open(t, path)
		if err := set.Approve(pair("e", "f")); err != nil {
			t.Fatal(err)
		}
		same(t, name, want, questions(open(t, path).Approved()))
	}
}

// A file that another program changed is not written, and the set stays as it is.
func TestChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "questions.jsonl")
	first, second := open(t, path), open(t, path)
	if err := first.Approve(pair("a", "b")); err != nil {
		t.Fatal(err)
	}
	if err := second.Approve(pair("c", "d")); !errors.Is(err, verified.ErrChanged) {
		t.Errorf("the file has changed: %v", err)
	}
	same(t, "the second set", nil, questions(second.Approved()))
	same(t, "the file", []string{"a b"}, questions(open(t, path).Approved()))
}

func TestTooManyProposals(t *testing.T) {
	set, err := verified.Read(strings.NewReader(""), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := set.Propose(pair(fmt.Sprint("q", i), "s")); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Propose(pair("one more", "s")); !errors.Is(err, verified.ErrFull) {
		t.Errorf("one more: %v", err)
	}
	if err := set.Reject(pair("q1", "s")); err != nil {
		t.Fatal(err)
	}
	if err := set.Propose(pair("one more", "s")); err != nil {
		t.Errorf("after a decision: %v", err)
	}
}

// What Read accepts is the same when it is written and opened again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"question":"a","sql":"b"}` + "\n" + `{"question":"A ","sql":"c","status":"proposed","tenant":"t","by":"x"}`))
	f.Add([]byte(`{"question":"a","sql":"b","time":"2025-01-15T12:00:00Z"}` + "\r\n\n" + `{"question":"a","sql":"b","status":"rejected"`))
	f.Add([]byte("{\"question\":\"\\ud800\",\"sql\":\"\u2028\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := verified.Read(bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "questions.jsonl")
		copied := open(t, path)
		for _, p := range set.Approved() {
			if p.By == "" || strings.TrimSpace(p.By) == "" || p.Time.IsZero() {
				p.By, p.Time = "ann", time.Unix(0, 0).UTC()
			}
			if err := copied.Approve(p); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range set.Proposed() {
			if err := copied.Propose(p); err != nil {
				t.Fatal(err)
			}
		}
		again := open(t, path)
		same(t, "approved", questions(set.Approved()), questions(again.Approved()))
		same(t, "proposed", questions(set.Proposed()), questions(again.Proposed()))
	})
}
