package integration_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
	"github.com/qedkit/qed/store/storetest"
	"github.com/qedkit/qed/store/usermemory"
)

// Every engine keeps sealed records and titles. A conversation over it leaves no
// text in the tables, and its user can be erased.
func TestSealedStore(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			keys, err := sealed.StaticKeys("k", map[string][]byte{"k": bytes.Repeat([]byte("k"), 32)})
			if err != nil {
				t.Fatal(err)
			}
			st, err := sealed.New(newStore(t, db, e.dialect, nil), keys)
			if err != nil {
				t.Fatal(err)
			}
			t.Run("suite", func(t *testing.T) {
				storetest.Run(t, func(*testing.T) store.Store { return st })
			})
			memory := &usermemory.Memory{Store: st}
			// The hyphens keep the names apart from base64, which can spell any word.
			user := usermemory.User{Tenant: "acme", ID: "quagga-1"}
			agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				if _, err := qed.Save(ctx, "zebra-row"); err != nil {
					return qed.Answer{}, err
				}
				past := usermemory.PastTurn{Thread: turn.Thread, Turn: 1, Request: turn.Text}
				err := memory.Note(ctx, usermemory.User{Tenant: turn.Tenant, ID: turn.User}, past, nil)
				return qed.Answer{Text: "zebra-answer"}, err
			}), st, nil)
			for _, turn := range []qed.Turn{
				{Thread: "1", User: user.ID, Tenant: "acme", Text: "zebra-message"},
				{Thread: "2", User: user.ID, Tenant: "acme", Text: "zebra-message"},
				{Thread: "3", User: "bob", Tenant: "acme", Text: "zebra-message"},
			} {
				if answer, err := qed.Ask(t.Context(), agent, turn); err != nil || !answer.Saved {
					t.Fatalf("answer %+v, %v", answer, err)
				}
			}
			tables := dump(t, db)
			if !bytes.Contains(tables, []byte(user.ID)) {
				t.Errorf("the tables were not read: %d bytes", len(tables))
			}
			if i := bytes.Index(tables, []byte("zebra-")); i >= 0 {
				t.Errorf("the tables have a text of the conversation: %q", tables[max(0, i-60):min(len(tables), i+60)])
			}

			threads, err := memory.Erase(t.Context(), user, st)
			if err != nil || len(threads) != 3 {
				t.Errorf("erased %q, %v", threads, err)
			}
			if bytes.Contains(dump(t, db), []byte(user.ID)) {
				t.Error("the tables still have the user")
			}
			if said, err := qed.Messages(t.Context(), store.ForUser(st, "acme", "bob"), "3", 0); err != nil || len(said) != 2 {
				t.Errorf("the messages of another user: %v, %v", said, err)
			}
		})
	}
}

// dump returns the content of the tables of a store.
func dump(t *testing.T, db *sql.DB) []byte {
	t.Helper()
	var all []byte
	for _, table := range []string{"threads", "headers", "records"} {
		rows, err := db.Query("SELECT * FROM qed_" + table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		for rows.Next() {
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				switch v := (*v.(*any)).(type) {
				case []byte:
					all = append(all, v...)
				default:
					all = fmt.Append(all, v, " ")
				}
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
