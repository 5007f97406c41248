package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/store"
)

func TestInMemory(t *testing.T) {
	Run(t, func(*testing.T) store.Store { return new(store.InMemory) })
}

// A store with one defect fails the checks of that property.
func TestBrokenStores(t *testing.T) {
	for _, broken := range []struct {
		name string
		open func() store.Store
		want []string // names of the failing checks
	}{
		{"ignores after", func() store.Store { return &anywhere{} },
			[]string{"AppendConflict", "ConcurrentAppend", "DeleteAgain", "TrimGaps"}},
		{"appends the records that are new", func() store.Store { return &partly{} },
			[]string{"AppendConflict", "TrimGaps"}},
		{"checks, then appends", func() store.Store { return &unlocked{} }, []string{"ConcurrentAppend"}},
		{"appends one by one", func() store.Store { return &oneByOne{} }, []string{"ConcurrentWriters"}},
		{"fills gaps", func() store.Store { return &gaps{} }, []string{"TrimGaps"}},
		{"keeps Seq", func() store.Store { return &given{} }, []string{"Append", "Ranges"}},
		{"treats Under as a pattern", func() store.Store { return &pattern{} },
			[]string{"Addresses", "Ranges"}},
		{"treats Under as a prefix", func() store.Store { return &prefix{} },
			[]string{"Addresses", "Length", "Ranges"}},
		{"applies Limit before Kinds", func() store.Store { return &limitFirst{} },
			[]string{"Ranges"}},
		{"treats no kinds as every kind", func() store.Store { return &everyKind{} }, []string{"Ranges"}},
		{"treats To as exclusive", func() store.Store { return &exclusive{} },
			[]string{"Ranges"}},
		{"ignores NewestFirst", func() store.Store { return &oldest{} },
			[]string{"ConcurrentWriters", "DataSize", "Ranges"}},
		{"ignores case", func() store.Store { return ids(lower) }, []string{"Threads"}},
		{"ignores spaces at the end", func() store.Store { return ids(func(id string) string { return strings.TrimRight(id, " ") }) },
			[]string{"Threads"}},
		{"normalises", func() store.Store {
			return ids(func(id string) string { return strings.ReplaceAll(id, "e\u0301", "é") })
		}, []string{"Threads"}},
		{"cuts ids", func() store.Store { return ids(func(id string) string { return id[:min(len(id), 255)] }) },
			[]string{"Threads", "ThreadIDs"}},
		{"accepts any id", func() store.Store { return ids(func(id string) string { return fmt.Sprintf("%.200x", id) }) },
			[]string{"ThreadIDs", "Threads"}},
		{"reformats data", func() store.Store { return changed(reformat) }, []string{"Data"}},
		{"cuts data", func() store.Store {
			return changed(func(r *store.Record) { r.Data = r.Data[:min(len(r.Data), 1<<16-1)] })
		}, []string{"DataSize"}},
		{"treats null as no data", func() store.Store {
			return changed(func(r *store.Record) {
				if string(r.Data) == "null" {
					r.Data = nil
				}
			})
		}, []string{"Data"}},
		{"rounds times to milliseconds", func() store.Store {
			return changed(func(r *store.Record) { r.Time = r.Time.Truncate(time.Millisecond) })
		}, []string{"Time"}},
		{"returns local times", func() store.Store { return &local{} }, []string{"Time"}},
		{"cuts addresses", func() store.Store {
			return changed(func(r *store.Record) { r.Address = r.Address[:min(len(r.Address), 999)] })
		}, []string{"Length"}},
		{"trims the last record", func() store.Store { return &trimsLast{} }, []string{"Trim"}},
		{"trims one too many", func() store.Store { return &trimsMore{} }, []string{"Ranges", "Trim"}},
		{"trims every kind", func() store.Store { return &trimsKinds{} }, []string{"Ranges", "Trim", "TrimGaps"}},
		{"continues a deleted thread", func() store.Store { return &tombstone{} }, []string{"DeleteAgain"}},
		{"fails to delete a missing thread", func() store.Store { return &strict{} },
			[]string{"Delete", "ThreadIDs"}},
		{"ignores its context", func() store.Store { return &ignoring{} }, []string{"Cancelled"}},
		{"locks while it yields", func() store.Store { return &holding{lock: make(chan struct{}, 1)} },
			[]string{"ReadAndAppend", "ReadAndDelete", "ReadAndRead"}},
		{"leaks a connection of a reader that leaves", func() store.Store { return &leaking{free: make(chan struct{}, 5)} },
			[]string{"ReadBreak"}},
		{"follows the end of a thread", func() store.Store { return &following{} },
			[]string{"ReadAndAppend"}},
	} {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			var failed []string
			for _, c := range checks {
				if report := try(t, c, broken.open()); report != "" {
					failed = append(failed, c.name)
				}
			}
			slices.Sort(failed)
			slices.Sort(broken.want)
			if !slices.Equal(failed, broken.want) {
				t.Errorf("failed checks\n got %v\nwant %v", failed, broken.want)
			}
		})
	}
}

// An outcome records the errors of a check.
type outcome struct {
	testing.TB
	mu     sync.Mutex
	report string
}

func (o *outcome) Helper() {}
func (o *outcome) Errorf(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.report += fmt.Sprintf(format, args...) + "\n"
}
func (o *outcome) Error(args ...any) { o.Errorf("%s", fmt.Sprint(args...)) }
func (o *outcome) Fatalf(format string, args ...any) {
	o.Errorf(format, args...)
	runtime.Goexit()
}
func (o *outcome) Fatal(args ...any) { o.Fatalf("%s", fmt.Sprint(args...)) }

// try runs a check and returns its errors.
func try(t *testing.T, c check, st store.Store) string {
	o := &outcome{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.run(o, st, time.Minute)
	}()
	<-done
	return o.report
}

type memory = store.InMemory

// last returns the number of a thread's last record.
func last(s store.Store, thread string) (seq int64) {
	for rec := range s.Records(context.Background(), thread, store.Range{NewestFirst: true, Limit: 1}) {
		seq = rec.Seq
	}
	return seq
}

type anywhere struct {
	mu sync.Mutex
	memory
}

func (s *anywhere) Append(ctx context.Context, thread string, _ int64, recs ...store.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memory.Append(ctx, thread, last(&s.memory, thread), recs...)
}

type partly struct{ memory }

func (s *partly) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	err := s.memory.Append(ctx, thread, after, recs...)
	if known := last(&s.memory, thread) - after; err != nil && after >= 0 && known > 0 && known < int64(len(recs)) {
		s.memory.Append(ctx, thread, after+known, recs[known:]...)
	}
	return err
}

type unlocked struct{ memory }

func (s *unlocked) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if err := s.memory.Append(ctx, thread, after); err != nil {
		return err
	}
	time.Sleep(time.Millisecond)
	for {
		err := s.memory.Append(ctx, thread, last(&s.memory, thread), recs...)
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

type oneByOne struct{ memory }

func (s *oneByOne) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if len(recs) < 2 {
		return s.memory.Append(ctx, thread, after, recs...)
	}
	err := s.memory.Append(ctx, thread, after, recs[0])
	for _, rec := range recs[1:] {
		time.Sleep(time.Millisecond) // another writer comes between
		for err == nil {
			if err := s.memory.Append(ctx, thread, last(&s.memory, thread), rec); !errors.Is(err, store.ErrConflict) {
				break
			}
		}
	}
	return err
}

// gaps only checks that there is a record with the number after and none after it.
// It drops a record that it appends in a gap.
type gaps struct {
	mu sync.Mutex
	memory
}

func (s *gaps) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var seqs []int64
	for rec := range s.Records(ctx, thread, store.Range{}) {
		seqs = append(seqs, rec.Seq)
	}
	if slices.Contains(seqs, after) && !slices.Contains(seqs, after+1) && after != last(s, thread) {
		return nil
	}
	return s.memory.Append(ctx, thread, after, recs...)
}

type given struct{ memory }

func (s *given) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for rec, err := range s.memory.Records(ctx, thread, r) {
			if rec.Kind == store.Began {
				rec.Seq = 77
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// filtered reads all records of r and applies match and Limit.
func filtered(
	ctx context.Context, s *memory, thread string, r store.Range, match func(store.Record) bool,
) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		left := r.Limit
		r.Limit = 0
		for rec, err := range s.Records(ctx, thread, r) {
			if err == nil && !match(rec) {
				continue
			}
			if left--; !yield(rec, err) || left == 0 {
				return
			}
		}
	}
}

type pattern struct{ memory }

func (s *pattern) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	under := r.Under
	r.Under = ""
	return filtered(ctx, &s.memory, thread, r, func(rec store.Record) bool {
		return under == "" || like(under, rec.Address) || like(under+"/%", rec.Address)
	})
}

// like is LIKE of SQL with a collation that ignores case.
func like(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	if pattern[0] == '%' {
		return like(pattern[1:], text) || text != "" && like(pattern, text[1:])
	}
	return text != "" && (pattern[0] == '_' || strings.EqualFold(pattern[:1], text[:1])) && like(pattern[1:], text[1:])
}

type prefix struct{ memory }

func (s *prefix) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	under := r.Under
	r.Under = ""
	return filtered(ctx, &s.memory, thread, r, func(rec store.Record) bool {
		return strings.HasPrefix(rec.Address, under)
	})
}

type limitFirst struct{ memory }

func (s *limitFirst) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	kinds := r.Kinds
	r.Kinds = nil
	left := max(r.Limit, 0)
	return func(yield func(store.Record, error) bool) {
		for rec, err := range s.memory.Records(ctx, thread, r) {
			if err != nil || kinds == nil || slices.Contains(kinds, rec.Kind) {
				if !yield(rec, err) {
					return
				}
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

type everyKind struct{ memory }

func (s *everyKind) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	if len(r.Kinds) == 0 {
		r.Kinds = nil
	}
	return s.memory.Records(ctx, thread, r)
}

type exclusive struct{ memory }

func (s *exclusive) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	if r.To > 1 {
		r.To--
	}
	return s.memory.Records(ctx, thread, r)
}

type oldest struct{ memory }

func (s *oldest) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	r.NewestFirst = false
	return s.memory.Records(ctx, thread, r)
}

// renamed is a store that replaces thread ids.
type renamed struct {
	memory
	id func(string) string
}

func ids(id func(string) string) store.Store { return &renamed{id: id} }

func (s *renamed) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	return s.memory.Append(ctx, s.id(thread), after, recs...)
}

func (s *renamed) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return s.memory.Records(ctx, s.id(thread), r)
}

func (s *renamed) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	return s.memory.Trim(ctx, s.id(thread), before, kinds...)
}

func (s *renamed) Delete(ctx context.Context, thread string) error {
	return s.memory.Delete(ctx, s.id(thread))
}

func lower(id string) string {
	if !utf8.ValidString(id) {
		return id
	}
	return strings.ToLower(id)
}

// changing is a store that changes the records that it keeps.
type changing struct {
	memory
	change func(*store.Record)
}

func changed(change func(*store.Record)) store.Store { return &changing{change: change} }

func (s *changing) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	recs = slices.Clone(recs)
	for i := range recs {
		s.change(&recs[i])
	}
	return s.memory.Append(ctx, thread, after, recs...)
}

func reformat(r *store.Record) {
	d := json.NewDecoder(bytes.NewReader(r.Data))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		r.Data, _ = json.Marshal(v)
	}
}

type local struct{ memory }

func (s *local) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for rec, err := range s.memory.Records(ctx, thread, r) {
			rec.Time = rec.Time.In(time.FixedZone("", 3600))
			if !yield(rec, err) {
				return
			}
		}
	}
}

// trimsLast hides the last record if Trim should have kept it.
type trimsLast struct {
	memory
	hidden sync.Map
}

func (s *trimsLast) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	for rec := range s.memory.Records(ctx, thread, store.Range{NewestFirst: true, Limit: 1}) {
		if rec.Seq < before && slices.Contains(kinds, rec.Kind) {
			s.hidden.Store(thread, rec.Seq)
		}
	}
	return s.memory.Trim(ctx, thread, before, kinds...)
}

func (s *trimsLast) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return filtered(ctx, &s.memory, thread, r, func(rec store.Record) bool {
		seq, ok := s.hidden.Load(thread)
		return !ok || seq != rec.Seq
	})
}

type trimsMore struct{ memory }

func (s *trimsMore) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	if before > 0 && before < 1<<62 {
		before++
	}
	return s.memory.Trim(ctx, thread, before, kinds...)
}

type trimsKinds struct{ memory }

func (s *trimsKinds) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	for rec := range s.memory.Records(ctx, thread, store.Range{}) {
		kinds = append(kinds, rec.Kind)
	}
	return s.memory.Trim(ctx, thread, before, kinds...)
}

// tombstone keeps the last number of a deleted thread.
type tombstone struct {
	memory
	ends sync.Map
}

func (s *tombstone) Delete(ctx context.Context, thread string) error {
	if end := last(&s.memory, thread); end > 0 {
		s.ends.Store(thread, end)
	}
	return s.memory.Delete(ctx, thread)
}

func (s *tombstone) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if end, ok := s.ends.Load(thread); ok && last(&s.memory, thread) == 0 && after == end.(int64) {
		return nil
	}
	return s.memory.Append(ctx, thread, after, recs...)
}

type strict struct{ memory }

func (s *strict) Delete(ctx context.Context, thread string) error {
	if store.CheckThread(thread) == nil && ctx.Err() == nil && last(&s.memory, thread) == 0 {
		return fmt.Errorf("there is no thread %q", thread)
	}
	return s.memory.Delete(ctx, thread)
}

type ignoring struct{ memory }

func (s *ignoring) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	return s.memory.Append(context.WithoutCancel(ctx), thread, after, recs...)
}

// take sends to a channel of limited size, with a timeout.
func take(slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-time.After(300 * time.Millisecond):
		return errors.New("it is locked")
	}
}

// holding holds a lock that every method needs while a sequence is read.
type holding struct {
	memory
	lock chan struct{}
}

func (s *holding) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if err := take(s.lock); err != nil {
		return err
	}
	defer func() { <-s.lock }()
	return s.memory.Append(ctx, thread, after, recs...)
}

func (s *holding) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	if err := take(s.lock); err != nil {
		return err
	}
	defer func() { <-s.lock }()
	return s.memory.Trim(ctx, thread, before, kinds...)
}

func (s *holding) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := take(s.lock); err != nil {
			yield(store.Record{}, err)
			return
		}
		defer func() { <-s.lock }()
		for rec, err := range s.memory.Records(ctx, thread, r) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// leaking has a few connections. A sequence that is left early keeps one.
type leaking struct {
	memory
	free chan struct{}
}

func (s *leaking) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := take(s.free); err != nil {
			yield(store.Record{}, err)
			return
		}
		for rec, err := range s.memory.Records(ctx, thread, r) {
			if !yield(rec, err) {
				return
			}
		}
		<-s.free
	}
}

// following reads until nothing was appended meanwhile.
type following struct{ memory }

func (s *following) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	if r.NewestFirst || r.Limit > 0 || r.To > 0 {
		return s.memory.Records(ctx, thread, r)
	}
	return func(yield func(store.Record, error) bool) {
		for {
			n := 0
			for rec, err := range s.memory.Records(ctx, thread, r) {
				n++
				r.From = rec.Seq + 1
				if !yield(rec, err) || err != nil {
					return
				}
			}
			if n == 0 {
				return
			}
		}
	}
}
