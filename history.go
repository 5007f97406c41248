package qed

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
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
	ID   string    `json:"id,omitempty"` // the client's id of the turn
	Turn Turn      `json:"turn"`         // the turn with which the run began

	// Replies are the questions that the turn answered. They are missing if the
	// details of the run are not kept any more ([DurableOptions].KeepRuns).
	Replies []AnsweredQuestion `json:"replies,omitempty"`

	// Message is what the user said in this turn: its Text, or one line for each of
	// its replies. It is empty for a turn that resumed a run without a reply.
	Message string `json:"message,omitempty"`

	Status store.Status `json:"status"`           // of the run at that time
	Answer *Answer      `json:"answer,omitempty"` // a long table has its first rows only
	Error  string       `json:"error,omitempty"`
}

// An AnsweredQuestion is a question with the reply that it got.
type AnsweredQuestion struct {
	Question question.Question `json:"question"`
	Value    json.RawMessage   `json:"value"` // of the [question.Reply]
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
	said := turnReader{thread: thread, entries: entries, runs: runs, before: before, at: len(entries) - 1}
	r = store.Range{From: max(first, floor+1), To: entries[0].Seq, Kinds: []store.Kind{
		store.Began, store.Resumed, store.Question, store.Reply, store.Message,
	}}
	for rec, err := range st.Records(ctx, thread, r) {
		if err == nil {
			err = said.read(&rec)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(entries)
	return entries, nil
}

// A turnReader reads what the user said in the turns of entries, the newest of
// which comes first.
type turnReader struct {
	thread  string
	entries []HistoryEntry
	runs    map[int64][]int // the entries of each run
	before  int64           // the end of the turn before the entries
	at      int             // the entry of the turn whose records are read

	id    string                       // of this turn
	asked map[string]question.Question // the questions of the run, by their addresses
}

// read reads a record. Records come in their order.
func (t *turnReader) read(rec *store.Record) error {
	for t.at > 0 && t.entries[t.at].Seq < rec.Seq {
		t.at--
		t.entries[t.at].ID = t.id // unless another turn follows
	}
	e := &t.entries[t.at]
	listed := rec.Seq > t.before && slices.Contains(t.runs[rec.Run], t.at)
	switch rec.Kind {
	case store.Began:
		var began beganData
		if err := rec.Decode(&began); err != nil {
			return err
		}
		began.Turn.Thread = t.thread
		for _, i := range t.runs[rec.Seq] {
			t.entries[i].Turn = Turn(began.Turn)
		}
		t.id, t.asked = began.Turn.ID, nil
	case store.Resumed:
		var resumed resumedData
		if err := rec.Decode(&resumed); err != nil {
			return err
		}
		if resumed.Turn != nil || resumed.Said != "" {
			t.id = resumed.ID
		}
	case store.Question:
		var q questionData
		if err := rec.Decode(&q); err != nil {
			return err
		}
		if t.asked == nil {
			t.asked = map[string]question.Question{}
		}
		t.asked[rec.Address] = q.Question
	case store.Reply:
		var reply replyData
		if err := rec.Decode(&reply); err != nil {
			return err
		}
		if q, ok := t.asked[rec.Address]; ok && listed {
			e.Replies = append(e.Replies, AnsweredQuestion{q, reply.Value})
		}
	case store.Message:
		var said llm.Message
		if err := rec.Decode(&said); err != nil {
			return err
		}
		if said.Role == llm.RoleUser && listed {
			e.Message = said.Content
		}
	}
	if listed {
		e.ID = t.id
	}
	return nil
}
