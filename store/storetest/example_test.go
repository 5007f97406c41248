package storetest_test

import (
	"context"
	"hash/fnv"
	"iter"
	"testing"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/storetest"
)

// sharded is a store that distributes the threads over several stores.
type sharded []store.Store

func (s sharded) shard(thread string) store.Store {
	h := fnv.New32a()
	h.Write([]byte(thread))
	return s[h.Sum32()%uint32(len(s))]
}

func (s sharded) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	return s.shard(thread).Append(ctx, thread, after, recs...)
}

func (s sharded) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return s.shard(thread).Records(ctx, thread, r)
}

func (s sharded) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	return s.shard(thread).Trim(ctx, thread, before, kinds...)
}

func (s sharded) Delete(ctx context.Context, thread string) error {
	return s.shard(thread).Delete(ctx, thread)
}

// testSharded would be the function TestSharded of the program's tests.
func testSharded(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		return sharded{new(store.InMemory), new(store.InMemory), new(store.InMemory)}
	})
}

// A program tests a store of its own, here one that distributes threads over
// several stores.
func Example() {
	_ = testSharded // go test calls it
}
