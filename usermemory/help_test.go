package usermemory_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

func shipment(turn int, request, tool string) qed.QueryMetadata {
	return qed.QueryMetadata{
		QueryType: "elasticsearch", Query: json.RawMessage(`{"query":{"match_all":{}}}`), Summary: "20 rows found",
		HowToRetrieve: "index shipments", Request: request, TurnID: turn, Tool: tool, Arguments: json.RawMessage(`{"port":"Miami"}`),
	}
}

// watched is a store whose calls go through the given functions, which fail,
// wait or inspect, and call do.
type watched struct {
	store.Store
	append  func(ctx context.Context, recs []store.Record, do func(context.Context) error) error
	records func(ctx context.Context, r store.Range, do func(context.Context) iter.Seq2[store.Record, error]) iter.Seq2[store.Record, error]
	trim    func(ctx context.Context, do func(context.Context) error) error
}

func (w *watched) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	do := func(ctx context.Context) error { return w.Store.Append(ctx, thread, after, recs...) }
	if w.append == nil {
		return do(ctx)
	}
	return w.append(ctx, recs, do)
}

func (w *watched) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	do := func(ctx context.Context) iter.Seq2[store.Record, error] { return w.Store.Records(ctx, thread, r) }
	if w.records == nil {
		return do(ctx)
	}
	return w.records(ctx, r, do)
}

func (w *watched) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	do := func(ctx context.Context) error { return w.Store.Trim(ctx, thread, before, kinds...) }
	if w.trim == nil {
		return do(ctx)
	}
	return w.trim(ctx, do)
}

// records returns the log of a thread.
func records(t testing.TB, s store.Store, thread string) []store.Record {
	t.Helper()
	var log []store.Record
	for rec, err := range s.Records(context.Background(), thread, store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, rec)
	}
	return log
}

type vectors func(texts []string) ([][]float32, error)

func (v vectors) Embed(_ context.Context, texts []string) ([][]float32, error) { return v(texts) }
