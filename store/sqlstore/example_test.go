package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// Several machines share the conversations, and each of them can take the next
// turn of any conversation.
func ExampleNew() {
	db, err := sql.Open("mysql", "agents@tcp(db.internal:3306)/agents")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(20)

	st, err := sqlstore.New(context.Background(), db, sqlstore.MySQL, &sqlstore.Options{
		Retry:  retry.Policy{Attempts: 6, MaxWait: 5 * time.Second},
		MaxAge: 30 * 24 * time.Hour,
		OnSweep: func(deleted int, err error) {
			if err != nil {
				log.Printf("deleting old conversations: %v", err)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
}

// The conversations of a program are in tables of its own SQLite database.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sqlstore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.ToSlash(filepath.Join(dir, "app.db"))
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	st, err := sqlstore.New(ctx, db, sqlstore.SQLite, &sqlstore.Options{TablePrefix: "chat_"})
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()

	rec := store.Record{Time: time.Now(), Kind: store.Message, Run: 1, Data: []byte(`{"content":"hello"}`)}
	if err := st.Append(ctx, "thread-1", 0, rec); err != nil {
		log.Fatal(err)
	}
	for rec, err := range st.Records(ctx, "thread-1", store.Range{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s %s\n", rec.Seq, rec.Kind, rec.Data)
	}
	// Output:
	// 1 message {"content":"hello"}
}
