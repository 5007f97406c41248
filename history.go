package qed

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Messages returns the last n messages of a thread, oldest first; n of 0 means
// all. It returns them as they were written, whatever a [Memory] makes of them.
// It does not check whose thread it is: see [Inspect].
func Messages(ctx context.Context, st store.Store, thread string, n int) ([]llm.Message, error) {
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	r := store.Range{From: floor + 1, Kinds: []store.Kind{store.Message}, NewestFirst: true, Limit: n}
	return decodeNewest[llm.Message](st.Records(ctx, thread, r))
}

// A HistoryEntry is a turn of a conversation that ended, with its outcome. A run
// that was interrupted and resumed has an entry for each of its turns. All of
// them have the Turn with which the run began. [Resolve] adds an entry too.
type HistoryEntry struct {
	Seq  int64     `json:"seq"` // of the record that ended it, for [Fork]
	Time time.Time `json:"time"`
	Turn Turn      `json:"turn"` // the turn with which the run began

	// Message is what the user said in this turn: its Text, or one line for each of
	// its replies. It is empty for a turn that resumed a run without a reply.
	Message string `json:"message,omitempty"`

	Status store.Status `json:"status"`           // of the run at that time
	Answer *Answer      `json:"answer,omitempty"` // a long table has its first rows only
	Error  string       `json:"error,omitempty"`
}

// History returns the last n entries of a thread, oldest first; n of 0 means
// all. A turn that has not ended has no entry. History does not check whose
// thread it is: see [Inspect].
func History(ctx context.Context, st store.Store, thread string, n int) ([]HistoryEntry, error) {
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	r := store.Range{From: floor + 1, Kinds: []store.Kind{store.Ended}, NewestFirst: true}
	if n > 0 {
		r.Limit = n + 1
	}
	first, before := int64(math.MaxInt64), int64(0) // before is the end of the turn before the entries
	runs := map[int64][]int{}                       // the entries of each run
	var entries []HistoryEntry
	for rec, err := range st.Records(ctx, thread, r) {
		if err != nil {
			return nil, err
		}
		if n > 0 && len(entries) == n {
			before = rec.Seq
			break
		}
		var end endedData
		if err := rec.Decode(&end); err != nil {
			return nil, err
		}
		first = min(first, rec.Run)
		runs[rec.Run] = append(runs[rec.Run], len(entries))
		entries = append(entries, HistoryEntry{
			Seq: rec.Seq, Time: rec.Time, Status: end.Status, Answer: end.Answer, Error: end.Error,
		})
	}
	if len(entries) == 0 {
		return nil, nil
	}
	r = store.Range{From: max(first, floor+1), To: entries[0].Seq, Kinds: []store.Kind{store.Began, store.Message}}
	at := len(entries) - 1 // the entry of the turn whose records are read: the oldest is the last one
	for rec, err := range st.Records(ctx, thread, r) {
		if err != nil {
			return nil, err
		}
		if rec.Kind == store.Began {
			var began beganData
			if err := rec.Decode(&began); err != nil {
				return nil, err
			}
			began.Turn.Thread = thread
			for _, i := range runs[rec.Seq] {
				entries[i].Turn = Turn(began.Turn)
			}
			continue
		}
		var said llm.Message
		if err := rec.Decode(&said); err != nil {
			return nil, err
		}
		for at > 0 && entries[at].Seq < rec.Seq {
			at--
		}
		if said.Role == llm.RoleUser && rec.Seq > before && slices.Contains(runs[rec.Run], at) {
			entries[at].Message = said.Content
		}
	}
	slices.Reverse(entries)
	return entries, nil
}
