package store_test

import (
	"context"
	"fmt"
	"log"

	"github.com/qedkit/qed/store"
)

// A user is erased with all conversations. The runtime sets the headers.
func ExampleEraseUser() {
	ctx := context.Background()
	var st store.InMemory
	for thread, user := range map[string]string{"thread-1": "ann", "thread-2": "bob"} {
		rec := store.Record{Kind: store.Began, Run: 1, Header: &store.Header{Tenant: "acme", User: user}}
		if err := st.Append(ctx, thread, 0, rec); err != nil {
			log.Fatal(err)
		}
	}

	threads, err := store.EraseUser(ctx, &st, "acme", "ann")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("erased:", threads)
	for info, err := range st.Threads(ctx, store.ThreadFilter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("left:", info.Thread, "of", info.User)
	}
	// Output:
	// erased: [thread-1]
	// left: thread-2 of bob
}
