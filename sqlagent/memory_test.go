package sqlagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
)

// recalling is a model that knows who "her" and what "there" is only from what the prompt remembers,
// and that runs a past query if the prompt has it.
func recalling() llm.Model {
	return replying(map[string]func(string) string{
		"select_tables": says(`{"tables":["person","job"]}`),
		"generate": func(prompt string) string {
			_, question, _ := strings.Cut(prompt, "\nQuestion: ")
			sql := ""
			switch {
			case strings.Contains(question, "Ann Miller"):
				sql = `SELECT p.name, j.day FROM person p JOIN job j ON j.personId = p.id WHERE p.name = 'Ann Miller'`
			case strings.Contains(question, "her jobs") && strings.Contains(prompt, `mentioned: "name" "Ann Miller"`):
				sql = `SELECT j.site FROM person p JOIN job j ON j.personId = p.id WHERE p.name = 'Ann Miller' ORDER BY j.id`
			case strings.Contains(question, "at that site") && strings.Contains(prompt, `"site" "Port of Miami"`):
				sql = `SELECT count(*) AS n FROM job WHERE site = 'Port of Miami'`
			case strings.Contains(question, "report"):
				if _, past, ok := strings.Cut(prompt, " by the query "); ok {
					line, _, _ := strings.Cut(past, "\n")
					if json.Unmarshal([]byte(line), &sql) != nil {
						sql = ""
					}
				}
			}
			reply, err := json.Marshal(map[string]string{"sql": sql, "reason": "it is not known who is meant"})
			if err != nil {
				return err.Error()
			}
			return string(reply)
		},
		"answer": func(prompt string) string {
			_, rows, _ := strings.Cut(prompt, "<rows>\n")
			rows, _, _ = strings.Cut(rows, "\n</rows>")
			return "It is " + strings.NewReplacer("[", " ", "]", " ", `"`, " ", "\n", " ").Replace(rows)
		},
	})
}

func TestRemembersItsUser(t *testing.T) {
	for name, st := range map[string]store.Store{"saved": &store.InMemory{}, "not saved": nil} {
		t.Run(name, func(t *testing.T) {
			memory := &usermemory.Memory{Store: &store.InMemory{}}
			a := jobs(t).agent(t, recalling(), allColumns(), &sqlagent.Options{User: memory, Store: st})
			for i, step := range []struct {
				thread, tenant, user, text string
				rows                       [][]any // nil: not known
			}{
				{"1", "acme", "u", "What are her jobs?", nil},
				{"2", "acme", "u", "When does Ann Miller work?", [][]any{{"Ann Miller", "2025-01-13"}, {"Ann Miller", "2025-01-15"}}},
				{"3", "acme", "u", "What are her jobs?", [][]any{{"Port of Miami"}, {"North Dock"}}},
				{"4", "acme", "u", "How many are at that site?", [][]any{{int64(1)}}},
				{"5", "acme", "other", "What are her jobs?", nil},
				{"6", "bolt", "u", "What are her jobs?", nil},
				{"7", "acme", "", "What are her jobs?", nil},
			} {
				if st == nil {
					step.thread = ""
				}
				_, answer, err := run(t, a, qed.Turn{Thread: step.thread, Tenant: step.tenant, User: step.user, Text: step.text})
				if err != nil {
					t.Fatal(err)
				}
				var rows [][]any
				if answer.Table != nil {
					rows = answer.Table.Rows
				}
				if diff := cmp.Diff(step.rows, rows); diff != "" {
					t.Errorf("step %d: %s (-want +got):\n%s", i, answer.PartialReason, diff)
				}
			}
			ann := usermemory.User{Tenant: "acme", ID: "u"}
			turns, err := memory.Turns(t.Context(), ann, 0)
			if err != nil || len(turns) != 3 {
				t.Fatalf("%d turns are remembered, %v; want those that read something", len(turns), err)
			}
			// After the user is erased nothing of this is known.
			conversations := st
			if conversations == nil {
				conversations = &store.InMemory{}
			}
			if _, err := memory.Erase(t.Context(), ann, conversations); err != nil {
				t.Fatal(err)
			}
			thread := ""
			if st != nil {
				thread = "8"
			}
			_, answer, err := run(t, a, qed.Turn{Thread: thread, Tenant: "acme", User: "u", Text: "What are her jobs?"})
			if err != nil || answer.Table != nil {
				t.Errorf("after Erase: %+v, %v", answer, err)
			}
		})
	}
}

// A past query is run again if the guard accepts it today. If not, the prompts do not show it.
func TestPastQueries(t *testing.T) {
	memory := &usermemory.Memory{Store: &store.InMemory{}}
	db := jobs(t)
	full := db.agent(t, recalling(), allColumns(), &sqlagent.Options{User: memory})
	ask := func(a qed.Agent, text string) qed.Answer {
		_, answer, err := run(t, a, qed.Turn{Tenant: "acme", User: "u", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	want := ask(full, "Report the days of Ann Miller")
	got := ask(full, "like last week's report")
	if got.Table == nil || cmp.Diff(want.Table.Rows, got.Table.Rows) != "" || got.Queries[0].Written != want.Queries[0].Written {
		t.Errorf("the past query was not run again: %+v", got)
	}
	less := allColumns()
	less["job"] = []string{"id", "personId", "site"}
	if got := ask(db.agent(t, recalling(), less, &sqlagent.Options{User: memory}), "like last week's report"); got.Table != nil {
		t.Errorf("a query that is refused today ran: %+v", got)
	}
}

type failing struct{ store.InMemory }

func (*failing) Records(context.Context, string, store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, errors.New("down")) }
}

// If the memory fails, the turn goes on and says so.
func TestMemoryFails(t *testing.T) {
	a := jobs(t).agent(t, recalling(), allColumns(), &sqlagent.Options{User: &usermemory.Memory{Store: &failing{}}})
	events, answer, err := run(t, a, qed.Turn{User: "u", Text: "When does Ann Miller work?"})
	if err != nil || answer.Table == nil {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	var said []string
	for _, e := range events {
		if w, ok := e.(qed.Warning); ok {
			said = append(said, w.Code+": "+w.Message)
		}
	}
	want := []string{
		"memory_incomplete: the memory of the user could not be read: down",
		"memory_incomplete: the memory of the user could not be written: down",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	guard, err := secureview.New(policy(), sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlagent.New(recalling(), &database{}, guard, schema(), &sqlagent.Options{User: &usermemory.Memory{}}); err == nil {
		t.Error("a memory without a store is accepted")
	}
}
