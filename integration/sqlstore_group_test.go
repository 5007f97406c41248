package integration_test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// groupLocks has for each engine a statement that lets appends wait until the
// connection is closed. While they wait, further appends gather in a group.
var groupLocks = map[sqlstore.Dialect]string{
	sqlstore.SQLite:     "BEGIN IMMEDIATE",
	sqlstore.MySQL:      "LOCK TABLES qed_threads WRITE",
	sqlstore.PostgreSQL: "BEGIN; LOCK TABLE qed_threads IN EXCLUSIVE MODE",
}

// Of many appends at once, each has its own result, whatever they have in common,
// and each kind of record is stored as it is.
func TestSQLStoreGroups(t *testing.T) {
	for _, e := range storeEngines {
		for _, setting := range append([]string{""}, e.settings...) {
			t.Run(strings.TrimSpace(e.name+" "+setting), func(t *testing.T) {
				pool := e.create(t)
				s := newStore(t, pool(setting), e.dialect, nil)
				for round := range 3 {
					appendAtOnce(t, s, round, pool(""), groupLocks[e.dialect])
				}
			})
		}
	}
}

const groupThreads = 60

// appendAtOnce appends to many threads at once, in a round that begins with 2
// records per earlier round.
func appendAtOnce(t *testing.T, s *sqlstore.Store, round int, other *sql.DB, lock string) {
	t.Helper()
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split(lock, "; ") {
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	head := int64(2 * round)
	records := func(i int) []store.Record {
		recs := []store.Record{
			{
				Time: time.Now(), Kind: store.Began, Run: head + 1,
				Address: fmt.Sprintf(`"{%d}\`, i), Data: []byte(`"é\u0000 \\x {}"`),
			},
			{Time: time.Now(), Kind: store.Heartbeat},
		}
		if i%3 == 0 {
			recs[1].Header = &store.Header{
				User: "user", Tenant: `"{ü}\`, Title: fmt.Sprint(i, " ", round), Status: store.StatusRunning, Turns: i,
			}
		}
		return recs
	}
	var group sync.WaitGroup
	errs := make([]error, groupThreads)
	for i := range errs {
		group.Go(func() {
			after := head
			if i%7 == 1 {
				after += 5
			}
			errs[i] = s.Append(t.Context(), fmt.Sprint("thread ", i), after, records(i)...)
		})
	}
	time.Sleep(100 * time.Millisecond)
	conn.Raw(func(any) error { return driver.ErrBadConn }) // closes it
	group.Wait()
	for i, err := range errs {
		want := head + 2
		if i%7 == 1 {
			want = 0
			if !errors.Is(err, store.ErrConflict) {
				t.Errorf("round %d, thread %d: %v, want a conflict", round, i, err)
			}
		} else if err != nil {
			t.Errorf("round %d, thread %d: %v", round, i, err)
		}
		var n int64
		for rec, err := range s.Records(t.Context(), fmt.Sprint("thread ", i), store.Range{}) {
			n++
			like := records(i)[(n-1)%2]
			if err != nil || rec.Seq != n || rec.Kind != like.Kind || rec.Address != like.Address ||
				string(rec.Data) != string(like.Data) {
				t.Errorf("round %d, thread %d: record %d is %+v, %v", round, i, n, rec, err)
			}
		}
		if n != want {
			t.Errorf("round %d: thread %d has %d records, want %d", round, i, n, want)
		}
	}
	listed := 0
	for info, err := range s.Threads(t.Context(), store.ThreadFilter{}) {
		var i int
		fmt.Sscanf(info.Thread, "thread %d", &i)
		if err != nil || info.Turns != i || info.Tenant != `"{ü}\` || info.Title != fmt.Sprint(i, " ", round) {
			t.Errorf("round %d: %+v, %v", round, info, err)
		}
		listed++
	}
	if listed != 17 { // 20 of 60, without those with a conflict
		t.Errorf("round %d: %d threads are listed", round, listed)
	}
}
