package integration_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// A record that is larger than a packet of the server may be is refused with an
// error that names the limit. Smaller records are not.
func TestSQLStorePacketLimit(t *testing.T) {
	pool := mariaStores(t, integration.MariaDB(t))
	for _, setting := range []string{"", "unprepared"} {
		db := pool(setting)
		s := newStore(t, db, sqlstore.MySQL, &sqlstore.Options{Retry: noRetry})
		var limit int
		if err := db.QueryRow("SELECT @@max_allowed_packet").Scan(&limit); err != nil {
			t.Fatal(err)
		}
		record := func(size int) store.Record {
			data := bytes.Repeat([]byte("1"), size)
			return store.Record{Time: time.Now(), Kind: store.Checkpoint, Address: "planner", Data: data}
		}
		thread := "thread " + setting
		for size, tooLarge := range map[int]bool{limit: true, limit + 1<<20: true, limit - 8<<10: false} {
			err := s.Append(t.Context(), thread, 0, record(10), record(size))
			switch {
			case tooLarge && (!errors.Is(err, sqlstore.ErrTooLarge) || !strings.Contains(err.Error(), "max_allowed_packet")):
				t.Errorf("%d bytes with a limit of %d: %v, want ErrTooLarge", size, limit, err)
			case !tooLarge && setting == "" && err != nil:
				t.Errorf("%d bytes with a limit of %d: %v", size, limit, err)
			}
			if err := s.Delete(t.Context(), thread); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Append(t.Context(), thread, 0, record(1<<20)); err != nil {
			t.Errorf("after records that are too large: %v", err)
		}
	}
}
