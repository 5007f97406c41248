package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/qedkit/qed/store"
)

// A thread is a log. Two writers that append after the same record conflict.
func Example() {
	ctx := context.Background()
	var st store.InMemory

	question := store.Record{Kind: store.Message, Run: 1, Data: []byte(`{"content":"how many crews are there?"}`)}
	answer := store.Record{Kind: store.Message, Run: 1, Data: []byte(`{"content":"There are 12 crews."}`)}
	if err := st.Append(ctx, "thread-1", 0, question, answer); err != nil {
		log.Fatal(err)
	}

	// Another process that has not seen the answer cannot append after record 1.
	err := st.Append(ctx, "thread-1", 1, store.Record{Kind: store.Ended, Run: 1})
	fmt.Println("conflict:", errors.Is(err, store.ErrConflict))

	for rec, err := range st.Records(ctx, "thread-1", store.Range{NewestFirst: true, Limit: 2}) {
		if err != nil {
			log.Fatal(err)
		}
		var message struct{ Content string }
		if err := rec.Decode(&message); err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Seq, rec.Kind, message.Content)
	}
	// Output:
	// conflict: true
	// 2 message There are 12 crews.
	// 1 message how many crews are there?
}

// An address selects the records with this address and those below it.
func ExampleRange() {
	ctx := context.Background()
	var st store.InMemory
	for i, address := range []string{"sql", "sql/execute", "sqlite"} {
		rec := store.Record{Kind: store.Checkpoint, Address: address}
		if err := st.Append(ctx, "thread-1", int64(i), rec); err != nil {
			log.Fatal(err)
		}
	}
	for rec, err := range st.Records(ctx, "thread-1", store.Range{Under: "sql"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Seq, rec.Address)
	}
	// Output:
	// 1 sql
	// 2 sql/execute
}

// A process looks for the runs that ended with their process, to resume them.
func ExampleLister() {
	ctx := context.Background()
	var st store.InMemory
	for thread, status := range map[string]store.Status{
		"thread-1": store.StatusAnswered, "thread-2": store.StatusRunning, "thread-3": store.StatusAnswered,
	} {
		h := &store.Header{User: "ann", Title: "how many crews are there?", Status: status, Lease: time.Nanosecond}
		if err := st.Append(ctx, thread, 0, store.Record{Kind: store.Began, Header: h}); err != nil {
			log.Fatal(err)
		}
	}
	filter := store.ThreadFilter{Statuses: []store.Status{store.StatusCrashed, store.StatusStopped}, Limit: 50}
	for info, err := range st.Threads(ctx, filter) {
		if err != nil {
			log.Fatal(err)
		}
		// A qed.Turn with this thread and user, and without a text, resumes the run.
		fmt.Println(info.Thread, info.User, info.Status)
	}
	// Output:
	// thread-2 ann crashed
}
