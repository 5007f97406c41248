package integration_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/store/usermemory"
)

// The memory of a user is visible to another process, survives concurrent writers, and is
// deleted from the database when it is forgotten.
func TestUserMemory(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			var memories []*usermemory.Memory
			for range 2 {
				store := newStore(t, pool(""), e.dialect, nil)
				memories = append(memories, &usermemory.Memory{Store: store, MaxTurns: 8})
			}
			ann := usermemory.User{Tenant: "acme", ID: "ann"}
			requests := func(text string) (all []string) {
				turns, err := memories[1].Turns(t.Context(), ann, 0)
				if text != "" {
					turns, err = memories[1].Recall(t.Context(), ann, text, 0)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, turn := range turns {
					all = append(all, turn.Request)
				}
				return all
			}
			var group sync.WaitGroup
			for i, m := range memories {
				group.Go(func() {
					for k := range 10 {
						err := m.Note(t.Context(), ann, usermemory.PastTurn{
							Thread: fmt.Sprint(i), Turn: k, Time: time.Date(2025, 1, 15, 12, k, i, 0, time.UTC),
							Request: fmt.Sprintf("ship %d of process %d", k, i),
						}, []finding.Entity{{Kind: "port", Name: "Miami", ID: "P1"}})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			if got := requests(""); len(got) != 8 {
				t.Errorf("%d turns, want 8: %q", len(got), got)
			}
			entities, err := memories[0].Entities(t.Context(), ann)
			if err != nil || len(entities) != 1 || entities[0].Times != 20 {
				t.Errorf("entities %+v, %v", entities, err)
			}

			none := func(usermemory.PastTurn) bool { return false }
			n, err := memories[0].ForgetTurns(t.Context(), ann, func(turn usermemory.PastTurn) bool { return !strings.HasPrefix(turn.Request, "ship 9") })
			left := requests("ship") // the newest turns are those of one process or of both
			if n+len(left) != 8 || len(left) == 0 || err != nil {
				t.Errorf("forgot %d of 8, and %q are left, %v", n, left, err)
			}
			for _, request := range left {
				if !strings.HasPrefix(request, "ship 9") {
					t.Errorf("%q is not forgotten", request)
				}
			}
			_, err = memories[1].ForgetTurns(t.Context(), usermemory.User{Tenant: "acme", ID: "bob"}, none)
			if err := errors.Join(err, memories[1].Forget(t.Context(), ann)); err != nil {
				t.Error(err)
			}
			if got := requests(""); len(got) != 0 {
				t.Errorf("%d turns are left", len(got))
			}
		})
	}
}
