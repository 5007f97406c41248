package searchagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
)

// again is a model that answers the same question any number of times.
func again() *llmtest.Model {
	rules := scripted()
	for i := range rules {
		rules[i].Repeat = true
	}
	return llmtest.New(rules...)
}

func TestLookupsAreRemembered(t *testing.T) {
	perCompany := func(_ context.Context, turn qed.Turn) (json.RawMessage, error) {
		return json.RawMessage(fmt.Sprintf(`{"term":{"tenantId":%q}}`, turn.Tenant)), nil
	}
	turns := 0
	changing := func(context.Context, qed.Turn) (json.RawMessage, error) { // other rights in each turn
		turns++
		return json.RawMessage(fmt.Sprintf(`{"range":{"size":{"lt":%d}}}`, turns)), nil
	}
	for _, tt := range []struct {
		name   string
		opt    searchagent.Options
		folder int // how many folders there are
		second qed.Turn
		later  time.Duration
		ran    int // searches for both turns
	}{
		{name: "the same", folder: 1, ran: 3},
		{name: "soon enough", folder: 1, later: 5*time.Minute - time.Second, ran: 3},
		{name: "too late", folder: 1, later: 6 * time.Minute, ran: 4},
		{name: "another user", folder: 1, second: qed.Turn{User: "other"}, ran: 4},
		{name: "another company", folder: 1, second: qed.Turn{Tenant: "other"}, ran: 4},
		{name: "the same filter", folder: 1, opt: searchagent.Options{Filter: perCompany}, ran: 3},
		{name: "another filter", folder: 1, opt: searchagent.Options{Filter: perCompany}, second: qed.Turn{Tenant: "b"}, ran: 4},
		{name: "other rights of the same user", folder: 1, opt: searchagent.Options{Filter: changing}, ran: 4},
		{name: "found nothing", folder: 0, ran: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := found(2)
				e.answers[0].docs = folders("abc-123")[:tt.folder]
				a := newAgent(t, again(), e, &tt.opt)
				ask(t, a, qed.Turn{Text: taxDocuments})
				time.Sleep(tt.later)
				turn := tt.second
				turn.Text = taxDocuments
				events, got := ask(t, a, turn)
				if len(e.ran) != tt.ran {
					t.Errorf("ran %d searches, want %d", len(e.ran), tt.ran)
				}
				cached := tt.ran == 3
				if got.Queries[0].Cached != cached || all[qed.TaskFinished](events)[0].Cached != cached {
					t.Errorf("cached: %+v, %+v", got.Queries[0], all[qed.TaskFinished](events)[0])
				}
				if tt.folder == 1 && (got.Partial || len(got.Queries) != 2 || got.Queries[1].Cached) {
					t.Errorf("answer = %+v", got)
				}
			})
		})
	}
}

// A choice of the user is not cached.
func TestChoicesAreNotRemembered(t *testing.T) {
	e := several(2)
	a := newAgent(t, again(), e, nil)
	for range 2 {
		ask(t, a, qed.Turn{Text: taxDocuments})
	}
	if len(e.ran) != 2 {
		t.Errorf("ran %d searches, want 2", len(e.ran))
	}
}
