package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/qedkit/qed/store"
)

// Fork copies a thread to a new one, up to and including the record with the
// number at, so that something else can be tried from there. at of 0 copies all
// records. The original is not changed. The copy belongs to the same user. If
// the record is within a run, an empty [Turn] resumes that run from there, and
// a Turn with a Text begins a new one. Records that were appended together with
// the record are copied too.
//
// If the thread to exists, the error matches [fs.ErrExist]. If the original or
// the record does not exist, it matches [fs.ErrNotExist]. Fork does not check
// whose thread it is: see [Inspect].
func Fork(ctx context.Context, st store.Store, thread string, at int64, to string) error {
	if err := checkThread(st, to); err != nil {
		return err
	}
	f := forker{numbers: map[int64]int64{}}
	var last store.Record
	found := at == 0
	for rec, err := range st.Records(ctx, thread, store.Range{}) {
		if err != nil {
			return fmt.Errorf("qed: fork of thread %s: %w", thread, err)
		}
		if at != 0 && rec.Seq > at && !sameAppend(last, rec) {
			break
		}
		found = found || rec.Seq == at
		last = rec
		if err := f.add(rec); err != nil {
			return fmt.Errorf("qed: fork of thread %s: %w", thread, err)
		}
	}
	switch {
	case len(f.recs) == 0:
		return fmt.Errorf("qed: fork of thread %s: %w", thread, fs.ErrNotExist)
	case !found:
		return fmt.Errorf("qed: fork of thread %s at number %d: %w", thread, at, fs.ErrNotExist)
	case f.recs[len(f.recs)-1].Kind != store.Ended:
		f.end.Status = store.StatusStopped
		data, err := json.Marshal(f.end)
		if err != nil {
			return err
		}
		run := f.recs[len(f.recs)-1].Run
		f.recs = append(f.recs, store.Record{Time: last.Time, Kind: store.Ended, Run: run, Data: data})
	}
	f.recs[len(f.recs)-1].Header = f.end.header()
	err := st.Append(ctx, to, 0, f.recs...)
	if errors.Is(err, store.ErrConflict) {
		return fmt.Errorf("qed: fork of thread %s to %s: %w", thread, to, fs.ErrExist)
	}
	return err
}

// sameAppend reports whether a record was appended together with the one before
// it.
func sameAppend(before, rec store.Record) bool {
	switch before.Kind {
	case store.Began:
		return rec.Kind == store.Message
	case store.Resumed, store.Reply:
		return rec.Kind == store.Reply || rec.Kind == store.Message
	case store.Message:
		return rec.Kind == store.Ended
	case store.Memory:
		return rec.Kind == store.Returned && rec.Time.Equal(before.Time)
	}
	return false
}

// A forker copies records. They get new numbers if the log was trimmed.
type forker struct {
	recs    []store.Record
	numbers map[int64]int64 // from the old to the new
	end     endedData       // of the last run, without its outcome
}

func (f *forker) add(rec store.Record) error {
	f.numbers[rec.Seq] = int64(len(f.recs)) + 1
	run, known := f.numbers[rec.Run]
	if !known {
		return nil // the beginning of its run was trimmed
	}
	rec.Run = run
	var err error
	switch rec.Kind {
	case store.Began:
		err = rewrite(&rec, func(d *beganData) {
			d.Floor = f.floor(d.Floor)
			f.end = endedData{
				User: d.Turn.User, Tenant: d.Turn.Tenant, Floor: d.Floor, Title: d.Title, Turns: d.Turns,
			}
		})
	case store.Ended:
		err = rewrite(&rec, func(d *endedData) {
			d.Floor = f.floor(d.Floor)
			f.end.Status = d.Status
		})
	case store.Summary:
		err = rewrite(&rec, func(d *summaryData) { d.Through = f.floor(d.Through) })
	}
	f.recs = append(f.recs, rec)
	return err
}

// floor returns the new number of the last copied record whose old number is at
// most old.
func (f *forker) floor(old int64) int64 {
	for ; old > 0; old-- {
		if n, ok := f.numbers[old]; ok {
			return n
		}
	}
	return 0
}

// rewrite changes the data of a record.
func rewrite[D any](rec *store.Record, change func(*D)) error {
	var d D
	if err := rec.Decode(&d); err != nil {
		return err
	}
	change(&d)
	data, err := json.Marshal(d)
	rec.Data = data
	return err
}
