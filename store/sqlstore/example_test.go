package sqlstore_test

import (
	"context"
	"database/sql"
	"log"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/store/sqlstore"
)

// Several machines share the conversations, and each of them takes the next turn of any
// one. The pool is the host's own.
func ExampleNew() {
	db, err := sql.Open("mysql", "agents@tcp(db.internal:3306)/agents")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(20)

	store, err := sqlstore.New(context.Background(), db, sqlstore.MySQL, &sqlstore.Options{
		MaxAge: 30 * 24 * time.Hour,
		OnSweep: func(deleted int, err error) {
			if err != nil {
				log.Printf("old conversations could not be deleted: %v", err)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
}
