package usermemory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
)

var ann = usermemory.User{Tenant: "acme", ID: "ann"}

var noon = time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)

func past(thread string, turn int, request string) usermemory.PastTurn {
	return usermemory.PastTurn{Thread: thread, Turn: turn, Time: noon.Add(time.Duration(turn) * time.Minute), Request: request, Answer: "answered"}
}

func port(name, id string) finding.Entity { return finding.Entity{Kind: "port", Name: name, ID: id} }

// noted returns a memory with turns of one user.
func noted(t testing.TB, m *usermemory.Memory, user usermemory.User, turns ...usermemory.PastTurn) {
	t.Helper()
	for _, turn := range turns {
		if err := m.Note(t.Context(), user, turn, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// recalled returns the requests of the recalled turns.
func recalled(t testing.TB, m *usermemory.Memory, user usermemory.User, text string, n int) []string {
	t.Helper()
	turns, err := m.Recall(t.Context(), user, text, n)
	if err != nil {
		t.Fatal(err)
	}
	requests := []string{}
	for _, turn := range turns {
		requests = append(requests, turn.Request)
	}
	return requests
}

// pastTurns returns the requests of a user's past turns.
func pastTurns(t testing.TB, m *usermemory.Memory, user usermemory.User, n int) []string {
	t.Helper()
	turns, err := m.Turns(t.Context(), user, n)
	if err != nil {
		t.Fatal(err)
	}
	requests := []string{}
	for _, turn := range turns {
		requests = append(requests, turn.Request)
	}
	return requests
}

// names returns the names of the entities of a user, with the number of times they were mentioned.
func names(t testing.TB, m *usermemory.Memory, user usermemory.User) []string {
	t.Helper()
	entities, err := m.Entities(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, e := range entities {
		all = append(all, fmt.Sprintf("%s %d", e.Name, e.Times))
	}
	return all
}

func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

func TestUserMemoryRecallsByWords(t *testing.T) {
	m := &usermemory.Memory{Store: new(store.InMemory)}
	noted(t, m, ann,
		past("1", 1, "late shipments to Miami"),
		past("1", 2, "crew of MSC ANNA"),
		past("2", 3, "shipments to Hamburg"),
		past("2", 4, "crew of EVER GIVEN"))
	for _, tt := range []struct {
		text string
		n    int
		want []string
	}{
		{"which shipment was late?", 0, []string{"late shipments to Miami", "shipments to Hamburg"}},
		{"the crew", 5, []string{"crew of EVER GIVEN", "crew of MSC ANNA"}}, // equally alike: the newer first
		{"the crew", 1, []string{"crew of EVER GIVEN"}},
		{"Miami or Hamburg", 0, []string{"shipments to Hamburg", "late shipments to Miami"}},
		{"fuel", 0, []string{}},
		{"what about the", 0, []string{}},
		{" ", 2, []string{}},
	} {
		same(t, tt.text, tt.want, recalled(t, m, ann, tt.text, tt.n))
	}
	all := []string{"crew of EVER GIVEN", "shipments to Hamburg", "crew of MSC ANNA", "late shipments to Miami"}
	same(t, "all", all, pastTurns(t, m, ann, 0))
	same(t, "the newest", all[:2], pastTurns(t, m, ann, 2))
}

// topicVectors embeds a text by its topics, one dimension each.
func topicVectors(topics ...string) vectors {
	return func(texts []string) ([][]float32, error) {
		var all [][]float32
		for _, text := range texts {
			v := make([]float32, len(topics)+1)
			v[len(topics)] = 0.01
			for i, topic := range topics {
				for _, word := range strings.Split(topic, "|") {
					if strings.Contains(text, word) {
						v[i] = 1
					}
				}
			}
			all = append(all, v)
		}
		return all, nil
	}
}

func TestUserMemoryRecallsByVectors(t *testing.T) {
	st := new(store.InMemory)
	m := &usermemory.Memory{Store: st, Embedder: topicVectors("ship|boat", "crew|sailor"), EmbedderModel: "one"}
	noted(t, m, ann, past("1", 1, "late ships"), past("1", 2, "the crew"))
	same(t, "by what it means", []string{"late ships"}, recalled(t, m, ann, "boats", 1))
	same(t, "the most alike first", []string{"the crew", "late ships"}, recalled(t, m, ann, "sailors", 0))

	// Turns without a comparable vector are compared by words, interleaved by rank.
	other := *m
	other.EmbedderModel = "two"
	noted(t, &other, ann, past("2", 3, "boats in harbour"))
	same(t, "another model", []string{"boats in harbour"}, recalled(t, &other, ann, "boats", 1))
	same(t, "both", []string{"late ships", "boats in harbour", "the crew"}, recalled(t, m, ann, "boats", 0))
	larger := *m
	larger.Embedder = topicVectors("ship|boat", "crew|sailor", "fuel")
	same(t, "other dimensions", []string{"late ships"}, recalled(t, &larger, ann, "late", 0))
	plain := usermemory.Memory{Store: st}
	same(t, "no embedder", []string{"boats in harbour"}, recalled(t, &plain, ann, "boats", 0))
}

// If the embedder fails, words are used, and an event says so.
func TestUserMemoryEmbedderFails(t *testing.T) {
	st := new(store.InMemory)
	nan := float32(math.NaN())
	for name, bad := range map[string]vectors{
		"down":         func([]string) ([][]float32, error) { return nil, errors.New("down") },
		"nothing":      func([]string) ([][]float32, error) { return nil, nil },
		"no number":    func([]string) ([][]float32, error) { return [][]float32{{nan}}, nil },
		"no direction": func([]string) ([][]float32, error) { return [][]float32{{0, 0}}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			m := &usermemory.Memory{Store: st, Embedder: bad}
			cut := 0
			agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				if err := m.Note(ctx, usermemory.User{Tenant: "acme", ID: name}, past("1", 1, "late ships"), nil); err != nil {
					return qed.Answer{}, err
				}
				good := *m
				good.Embedder = topicVectors("ships")
				if err := good.Note(ctx, usermemory.User{Tenant: "acme", ID: name}, past("1", 2, "a crew"), nil); err != nil {
					return qed.Answer{}, err
				}
				turns, err := m.Recall(ctx, usermemory.User{Tenant: "acme", ID: name}, "ships", 0)
				if len(turns) != 1 {
					t.Errorf("recalled %v", turns)
				}
				return qed.Answer{}, err
			})
			for event, err := range agent.Run(t.Context(), qed.Turn{Text: "x"}) {
				if err != nil {
					t.Fatal(err)
				}
				if w, ok := event.Data.(qed.Warning); ok && w.Code == "memory_incomplete" {
					cut++
				}
			}
			if cut != 2 {
				t.Errorf("told %d times, want once for Note and once for Recall", cut)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := &usermemory.Memory{Store: st, Embedder: vectors(func([]string) ([][]float32, error) { cancel(); return nil, ctx.Err() })}
	if err := m.Note(ctx, usermemory.User{Tenant: "acme", ID: "cid"}, past("1", 1, "x"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Memories of users are separate, and no ID can be read from the store.
func TestUserMemoryIsTheUsers(t *testing.T) {
	var threads []string
	st := &qedtest.Store{Store: new(store.InMemory)}
	m := &usermemory.Memory{Store: listed{st, &threads}}
	users := []usermemory.User{{Tenant: "acme", ID: "ann"}, {Tenant: "acme", ID: "bob"}, {Tenant: "acm", ID: "eann"}, {ID: "ann"}, {Tenant: "acme ann", ID: "ann"}, {Tenant: "acme", ID: "ann ann"}, {Tenant: "acme", ID: "ANN"}}
	for i, u := range users {
		if err := m.Note(t.Context(), u, past("1", 1, fmt.Sprint("ships ", i)), []finding.Entity{port(fmt.Sprint("port ", i), "")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Forget(t.Context(), usermemory.User{Tenant: "acme", ID: "bob"}); err != nil {
		t.Fatal(err)
	}
	for i, u := range users {
		want, wantNames := []string{fmt.Sprint("ships ", i)}, []string{fmt.Sprint("port ", i, " 1")}
		if u.ID == "bob" {
			want, wantNames = []string{}, []string{}
		}
		same(t, u.ID, want, recalled(t, m, u, "ships", 0))
		same(t, u.ID, wantNames, names(t, m, u))
	}
	for _, thread := range threads {
		if err := store.CheckThread(thread); err != nil || strings.Contains(thread, "ann") || strings.Contains(thread, "acme") {
			t.Errorf("thread %q: %v", thread, err)
		}
	}
}

// A user without an ID, and misuse, are errors.
func TestUserMemoryRefuses(t *testing.T) {
	whole := &usermemory.Memory{Store: new(store.InMemory)}
	noted(t, whole, ann, past("1", 1, "ships"))
	for name, tt := range map[string]struct {
		memory *usermemory.Memory
		user   usermemory.User
		match  error
	}{
		"no memory": {nil, ann, nil},
		"no store":  {new(usermemory.Memory), ann, nil},
		"no user":   {whole, usermemory.User{Tenant: "acme"}, usermemory.ErrNoUser},
	} {
		m, user := tt.memory, tt.user
		_, recallErr := m.Recall(t.Context(), user, "x", 1)
		_, turnsErr := m.Turns(t.Context(), user, 1)
		_, entitiesErr := m.Entities(t.Context(), user)
		_, forgetErr := m.ForgetTurns(t.Context(), user, func(usermemory.PastTurn) bool { return true })
		_, forgetEntitiesErr := m.ForgetEntities(t.Context(), user, func(finding.Entity) bool { return true })
		for method, err := range map[string]error{
			"Recall": recallErr, "Turns": turnsErr, "Entities": entitiesErr, "ForgetTurns": forgetErr, "ForgetEntities": forgetEntitiesErr,
			"Note": m.Note(t.Context(), user, past("1", 1, "x"), nil), "Forget": m.Forget(t.Context(), user),
		} {
			if err == nil || tt.match != nil && !errors.Is(err, tt.match) {
				t.Errorf("%s, %s: %v", name, method, err)
			}
		}
	}
	_, turnsErr := whole.ForgetTurns(t.Context(), ann, nil)
	if _, err := whole.ForgetEntities(t.Context(), ann, nil); err == nil || turnsErr == nil {
		t.Errorf("nothing that says which: %v, %v", turnsErr, err)
	}
	same(t, "nothing is forgotten", []string{"ships"}, pastTurns(t, whole, ann, 0))
}

// listed is a store that records the threads that are written.
type listed struct {
	store.Store
	threads *[]string
}

func (l listed) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	*l.threads = append(*l.threads, thread)
	return l.Store.Append(ctx, thread, after, recs...)
}

// A past turn has no rows and no handle, and its size is limited.
func TestUserMemoryKeepsNoRows(t *testing.T) {
	m := &usermemory.Memory{Store: new(store.InMemory)}
	table := qed.Table{Columns: []qed.Column{{Name: "secret", Type: "text"}}}
	if err := table.Append("a cell"); err != nil {
		t.Fatal(err)
	}
	turn := past("1", 1, strings.Repeat("ships ö", 10_000))
	small := finding.QueryMetadata{
		QueryType: "sql", Query: json.RawMessage(`"SELECT 1"`), Summary: "1 row found", Tool: "sql", Arguments: json.RawMessage(`{"a":1}`), ExecutedAt: noon,
		Rows:  &finding.RowsRef{Handle: "kept/k1", Count: 142, Sample: table, Partial: "a shard failed"},
		Proof: &qed.Query{Language: "sql", Executed: "SELECT 1", Handle: "kept/k1"},
	}
	large := small
	large.Query, large.Arguments, large.Rows = json.RawMessage(`"`+strings.Repeat("x", 100_000)+`"`), json.RawMessage(`{broken`), nil
	turn.Queries = []finding.QueryMetadata{small, large}
	if err := m.Note(t.Context(), ann, turn, []finding.Entity{port(strings.Repeat("x", 10_000), ""), {Kind: "nothing"}}); err != nil {
		t.Fatal(err)
	}
	turns, err := m.Recall(t.Context(), ann, "ships", 1)
	if err != nil || len(turns) != 1 {
		t.Fatal(turns, err)
	}
	got := turns[0]
	if len(got.Request) > 5000 || len(got.Queries) != 2 || len(got.Queries[1].Query) > 10 || len(got.Queries[1].Arguments) > 10 {
		t.Errorf("%d bytes of request, %+v", len(got.Request), got.Queries)
	}
	rows := got.Queries[0].Rows
	if got.Queries[0].Proof != nil || rows.Partial != "a shard failed" || rows.Handle != "" || rows.Count != 142 || len(rows.Sample.Rows) != 0 || !rows.Truncated || rows.Sample.Columns[0].Name != "secret" {
		t.Errorf("rows %+v", rows)
	}
	same(t, "the query", string(small.Query), string(got.Queries[0].Query))
	if len(turn.Queries[0].Rows.Sample.Rows) != 1 || turn.Queries[0].Proof == nil || len(turn.Queries[1].Query) < 100_000 {
		t.Error("the caller's turn was changed")
	}
	if entities, err := m.Entities(t.Context(), ann); err != nil || len(entities) != 1 || len(entities[0].Name) > 300 {
		t.Errorf("%d entities, %v", len(entities), err)
	}
}

func TestUserMemoryEntities(t *testing.T) {
	m := &usermemory.Memory{Store: new(store.InMemory)}
	note := func(turn int, entities ...finding.Entity) {
		t.Helper()
		if err := m.Note(t.Context(), ann, past("1", turn, "ships"), entities); err != nil {
			t.Fatal(err)
		}
	}
	note(1, port("Miami", "P1"), port("Hamburg", ""))
	note(2, port("HAMBURG", ""), port("Hamburg", ""), finding.Entity{Kind: "city", Name: "Hamburg"})
	note(3, port("Port of Miami", "P1"))
	note(3, port("Port of Miami", "P1")) // noted again, as a run that goes on may
	same(t, "entities", []string{"Port of Miami 2", "Hamburg 1", "HAMBURG 2"}, names(t, m, ann))
	entities, err := m.Entities(t.Context(), ann)
	if err != nil || !entities[0].Last.Equal(noon.Add(3*time.Minute)) {
		t.Errorf("%+v, %v", entities, err)
	}
	if n := len(recalled(t, m, ann, "ships", 0)); n != 3 {
		t.Errorf("%d turns, want 3", n)
	}
	// Entities alone, and nothing.
	if err := errors.Join(
		m.Note(t.Context(), ann, usermemory.PastTurn{}, []finding.Entity{port("Oslo", "")}),
		m.Note(t.Context(), ann, usermemory.PastTurn{}, nil)); err != nil {
		t.Error(err)
	}
	if n := len(pastTurns(t, m, ann, 0)); n != 3 {
		t.Errorf("%d turns, want 3", n)
	}
	n, err := m.ForgetEntities(t.Context(), ann, func(e finding.Entity) bool { return e.Kind == "port" })
	if n != 3 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
	same(t, "what is left", []string{"Hamburg 1"}, names(t, m, ann))
}

// raw returns all data of the store.
func raw(t testing.TB, st store.Store, threads []string) string {
	t.Helper()
	var b strings.Builder
	for _, thread := range threads {
		for rec, err := range st.Records(context.Background(), thread, store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			b.Write(rec.Data)
		}
	}
	return b.String()
}

// Forgotten data is removed from the store or, after a crash, by the next read.
func TestUserMemoryForgetsForGood(t *testing.T) {
	down := errors.New("down")
	for name, fail := range map[string]bool{"no crash": false, "a crash before the old records are removed": true} {
		t.Run(name, func(t *testing.T) {
			var threads []string
			st := &qedtest.Store{Store: new(store.InMemory)}
			m := &usermemory.Memory{Store: listed{st, &threads}}
			noted(t, m, ann, past("1", 1, "about bananas"), past("1", 2, "about ships"))
			if fail {
				st.OnTrim = func(context.Context, func(context.Context) error) error { return down }
			}
			n, err := m.ForgetTurns(t.Context(), ann, func(turn usermemory.PastTurn) bool { return strings.Contains(turn.Request, "bananas") })
			if n != 1 || fail != errors.Is(err, down) {
				t.Errorf("forgot %d, %v", n, err)
			}
			same(t, "what is left", []string{"about ships"}, recalled(t, m, ann, "about ships bananas", 0))
			if fail {
				if !strings.Contains(raw(t, st, threads[:1]), "bananas") {
					t.Fatal("nothing is left to remove")
				}
				// A write while trimming fails loses nothing.
				noted(t, m, ann, past("1", 3, "about crews"))
				st.OnTrim = nil
				noted(t, m, ann, past("1", 4, "about fuel"))
				pastTurns(t, m, ann, 0)
			}
			if strings.Contains(raw(t, st, threads[:1]), "bananas") {
				t.Error("it is still in the store")
			}
			want := []string{"about ships"}
			if fail {
				want = []string{"about fuel", "about crews", "about ships"}
			}
			same(t, "what is left in the end", want, pastTurns(t, m, ann, 0))
			if n, err := m.ForgetTurns(t.Context(), ann, func(usermemory.PastTurn) bool { return false }); n != 0 || err != nil {
				t.Errorf("forgot %d, %v", n, err)
			}
			if err := m.Forget(t.Context(), ann); err != nil || strings.Contains(raw(t, st, threads[:1]), "about") {
				t.Errorf("something is left: %v", err)
			}
		})
	}
}

// Forgetting again finishes what a crash prevented, even if nothing is left to
// forget.
func TestUserMemoryForgetsAgain(t *testing.T) {
	var threads []string
	st := &qedtest.Store{Store: new(store.InMemory)}
	m := &usermemory.Memory{Store: listed{st, &threads}}
	noted(t, m, ann, past("1", 1, "about bananas"))
	st.OnTrim = func(context.Context, func(context.Context) error) error { return errors.New("down") }
	all := func(usermemory.PastTurn) bool { return true }
	if _, err := m.ForgetTurns(t.Context(), ann, all); err == nil {
		t.Error("no error")
	}
	st.OnTrim = nil
	if n, err := m.ForgetTurns(t.Context(), ann, all); n != 0 || err != nil || strings.Contains(raw(t, st, threads[:1]), "bananas") {
		t.Errorf("forgot %d, %v", n, err)
	}
}

func TestUserMemoryIsBounded(t *testing.T) {
	var threads []string
	st := new(store.InMemory)
	m := &usermemory.Memory{Store: listed{st, &threads}, MaxTurns: 10, MaxEntities: 4}
	want, wantNames := []string{}, []string{}
	for i := range 100 {
		if err := m.Note(t.Context(), ann, past("1", i, fmt.Sprint("ship ", i)), []finding.Entity{port(fmt.Sprint("port ", i), "")}); err != nil {
			t.Fatal(err)
		}
		if i >= 90 {
			want = append([]string{fmt.Sprint("ship ", i)}, want...)
		}
		if i >= 96 {
			wantNames = append([]string{fmt.Sprint("port ", i, " 1")}, wantNames...)
		}
		if n := len(qedtest.Log(t, st, threads[0])); n > 14 {
			t.Fatalf("%d records after %d turns", n, i+1)
		}
	}
	same(t, "turns", want, pastTurns(t, m, ann, 0))
	same(t, "entities", wantNames, names(t, m, ann))
}

// Several processes note for the same user while one forgets: nothing is lost.
func TestUserMemoryConflicts(t *testing.T) {
	m := &usermemory.Memory{Store: new(store.InMemory), MaxTurns: 50}
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := range 10 {
				if err := m.Note(t.Context(), ann, past(fmt.Sprint(w), i, fmt.Sprint("ship ", w, " ", i)), []finding.Entity{port("Miami", "P1")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Go(func() {
		for range 5 {
			if _, err := m.ForgetEntities(t.Context(), ann, func(e finding.Entity) bool { return e.Name == "Oslo" }); err != nil {
				t.Error(err)
			}
		}
	})
	group.Wait()
	if n := len(pastTurns(t, m, ann, 0)); n != 40 {
		t.Errorf("%d turns, want 40", n)
	}
	same(t, "entities", []string{"Miami 40"}, names(t, m, ann))

	// Another writer is always faster.
	attempts := 0
	st := &qedtest.Store{Store: new(store.InMemory), OnAppend: func(context.Context, []store.Record, func(context.Context) error) error {
		attempts++
		return store.ErrConflict
	}}
	m = &usermemory.Memory{Store: st}
	if err := m.Note(t.Context(), ann, past("1", 1, "x"), nil); !errors.Is(err, store.ErrConflict) || attempts > 20 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

// A reader whose memory is rewritten in the meantime reads again.
func TestUserMemoryReadsWhatIsRewritten(t *testing.T) {
	st := &qedtest.Store{Store: new(store.InMemory)}
	m := &usermemory.Memory{Store: st}
	noted(t, m, ann, past("1", 1, "ship 1"), past("1", 2, "ship 2"), past("1", 3, "ship 3"))
	torn := true
	st.OnRecords = func(ctx context.Context, r store.Range, do func(context.Context) qedtest.Records) qedtest.Records {
		if r.NewestFirst || !torn {
			return do(ctx)
		}
		torn = false
		return func(yield func(store.Record, error) bool) {
			for rec, err := range do(ctx) {
				yield(rec, err)
				return // the others were removed, and what takes their place is not seen yet
			}
		}
	}
	if n := len(pastTurns(t, m, ann, 0)); n != 3 {
		t.Errorf("%d turns, want 3", n)
	}
}

// A record that cannot be read is an error, and Forget starts a new memory.
func TestUserMemoryCorrupt(t *testing.T) {
	var threads []string
	st := new(store.InMemory)
	m := &usermemory.Memory{Store: listed{st, &threads}}
	noted(t, m, ann, past("1", 1, "ships"))
	if err := st.Append(t.Context(), threads[0], 1, store.Record{Kind: store.Memory, Data: json.RawMessage(`{"turns":7}`)}); err != nil {
		t.Fatal(err)
	}
	_, err := m.Recall(t.Context(), ann, "ships", 1)
	if noteErr := m.Note(t.Context(), ann, past("1", 2, "x"), nil); !errors.Is(err, store.ErrCorrupt) || !errors.Is(noteErr, store.ErrCorrupt) {
		t.Errorf("Recall: %v; Note: %v", err, noteErr)
	}
	if err := m.Forget(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	noted(t, m, ann, past("1", 3, "ships"))
	same(t, "anew", []string{"ships"}, recalled(t, m, ann, "ships", 1))
}

// For any log, reading works or returns an error.
func FuzzUserMemoryRecords(f *testing.F) {
	f.Add(`{"turns":[{"thread":"1","turn":1,"request":"ships","vector":"AACAPwAAAAA=","model":""}],"live":1}`, `{"begins":true,"entities":[{"kind":"port","name":"Miami","times":-3}],"live":-9}`)
	f.Add(`{"turns":[{"vector":"AAAA"},{"vector":"AADAfwAAwH8="}]}`, `null`)
	f.Fuzz(func(t *testing.T, first, second string) {
		var threads []string
		st := new(store.InMemory)
		m := &usermemory.Memory{Store: listed{st, &threads}, Embedder: topicVectors("ship"), MaxTurns: 3, MaxEntities: 3}
		noted(t, m, ann, past("1", 1, "ships"))
		if err := st.Append(t.Context(), threads[0], 1,
			store.Record{Kind: store.Memory, Data: json.RawMessage(first)}, store.Record{Kind: store.Memory, Data: json.RawMessage(second)}); err != nil {
			t.Fatal(err)
		}
		turns, err := m.Recall(t.Context(), ann, "ships", 0)
		if err != nil && !errors.Is(err, store.ErrCorrupt) || len(turns) > 3 {
			t.Errorf("%d turns, %v", len(turns), err)
		}
		if err == nil {
			_, err = m.ForgetEntities(t.Context(), ann, func(finding.Entity) bool { return true })
		}
		if err == nil {
			err = m.Note(t.Context(), ann, past("9", 9, "boats"), nil)
		}
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Error(err)
		}
	})
}

// randomVectors returns an embedder with random vectors of 384 dimensions.
var randomVectors = vectors(func(texts []string) ([][]float32, error) {
	var all [][]float32
	for _, text := range texts {
		random := rand.New(rand.NewPCG(uint64(len(text)), 1))
		v := make([]float32, 384)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		all = append(all, v)
	}
	return all, nil
})

func fullMemory(b *testing.B) *usermemory.Memory {
	m := &usermemory.Memory{Store: new(store.InMemory), Embedder: randomVectors}
	for i := range 500 {
		turn := past("1", i, "late shipments to Miami "+strings.Repeat("x", i))
		turn.Queries = []finding.QueryMetadata{shipment(i, "late shipments", "es_executor")}
		noted(b, m, ann, turn)
	}
	return m
}

func BenchmarkUserMemoryNote(b *testing.B) {
	m := fullMemory(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := m.Note(b.Context(), ann, past("2", i, "late shipments"), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUserMemoryRecall(b *testing.B) {
	m := fullMemory(b)
	b.ReportAllocs()
	for b.Loop() {
		turns, err := m.Recall(b.Context(), ann, "late shipments", 5)
		if err != nil || len(turns) != 5 {
			b.Fatal(len(turns), err)
		}
	}
}

// A turn of one conversation is found in another.
func Example() {
	ctx := context.Background()
	ann := usermemory.User{Tenant: "acme", ID: "ann"}
	memory := &usermemory.Memory{Store: new(store.InMemory)} // with an Embedder, turns are found by meaning instead of words
	err := memory.Note(ctx, ann, usermemory.PastTurn{
		Thread: "monday", Turn: 1, Request: "Which shipments to Miami were late?", Answer: "12 of 142.",
	}, []finding.Entity{{Kind: "port", Name: "Port of Miami", ID: "USMIA", Said: "Miami"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	turns, err := memory.Recall(ctx, ann, "the late shipments that I asked about", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(turns[0].Answer)
	entities, err := memory.Entities(ctx, ann)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(entities[0].Name, entities[0].ID)
	n, err := memory.ForgetEntities(ctx, ann, func(e finding.Entity) bool { return e.Kind == "port" })
	fmt.Println(n, err)
	// Output:
	// 12 of 142.
	// Port of Miami USMIA
	// 1 <nil>
}
