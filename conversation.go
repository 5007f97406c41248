package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// recall sets the History of the run's turn. A resumed run has the same History
// as when it began.
func (rs *runState) recall(resumed bool) error {
	if rs.turn.History != nil || rs.run <= 1 { // it is given, or there are no earlier messages
		return nil
	}
	history, err := rs.opt.Memory.recall(rs.ctx, messageLog{rs}, !resumed)
	switch {
	case err == nil:
		rs.turn.History = history
	case cancelled(rs.ctx) != nil:
		return cancelled(rs.ctx)
	case errors.Is(err, store.ErrCorrupt):
		rs.floor = rs.run - 1
		rs.stateDiscarded(err)
	default:
		rs.saveFailed("the earlier messages cannot be read", err)
	}
	return nil
}

// maxHistoryData limits the images and files of a History that the host sets, in
// bytes. The log of the run keeps the History.
const maxHistoryData = 1 << 20

// recordable returns a History in which the newest images and files are whole, as
// far as they have maxHistoryData bytes together, and the older ones are notes. One
// that is given by its URL stays.
func recordable(history []llm.Message) []llm.Message {
	left, own := maxHistoryData, false
	for i, message := range slices.Backward(history) {
		copied := false
		for j, part := range slices.Backward(message.Parts) {
			if part.Type == llm.PartReasoning || len(part.Data) == 0 {
				continue
			}
			if left -= len(part.Data); left >= 0 {
				continue
			}
			left = 0 // the older ones become notes too
			if !own {
				history, own = slices.Clone(history), true // it belongs to the host
			}
			if !copied {
				history[i].Parts, copied = slices.Clone(history[i].Parts), true
			}
			note := llm.Message{Parts: message.Parts[j : j+1]}.Text()
			history[i].Parts[j] = llm.Part{Type: llm.PartText, Text: note}
		}
	}
	return history
}

// A messageLog is the conversation before a run. See [Memory].
type messageLog struct{ *runState }

func (l messageLog) messages(ctx context.Context, from int64, newest int) ([]numbered, error) {
	var found []numbered
	r := store.Range{
		From: max(from, l.floor+1), To: l.run - 1, Kinds: []store.Kind{store.Message}, NewestFirst: true, Limit: newest,
	}
	err := l.scan(r, func(rec store.Record) error {
		n := numbered{seq: rec.Seq}
		if err := rec.Decode(&n.message); err != nil {
			return err
		}
		if n.message.Role == "" {
			return fmt.Errorf("%w: number %d, a message without a role", store.ErrCorrupt, rec.Seq)
		}
		found = append(found, n)
		return nil
	})
	slices.Reverse(found)
	return found, err
}

func (l messageLog) summary(ctx context.Context) (text string, through int64, err error) {
	// A summary that this run made when it began is included: it is of earlier
	// messages.
	r := store.Range{From: l.floor + 1, Kinds: []store.Kind{store.Summary}, NewestFirst: true, Limit: 1}
	err = l.scan(r, func(rec store.Record) error {
		var d summaryData
		if err := rec.Decode(&d); err != nil {
			return err
		}
		text, through = d.Text, d.Through
		return nil
	})
	return text, through, err
}

func (l messageLog) summarise(ctx context.Context, text string, through int64) error {
	data, err := json.Marshal(summaryData{text, through})
	if err != nil {
		return err
	}
	return l.record(store.Record{Kind: store.Summary, Data: data})
}

// inWords returns the text of an answer for the conversation: its text and the
// queries behind it.
func inWords(a *Answer) string {
	text := a.Text
	for _, q := range a.Queries {
		if q.Written != "" {
			text += "\n(" + q.Language + ": " + q.Written + ")"
		}
	}
	return text
}

// Messages returns the last n messages of a thread, oldest first; n of 0 means
// all. It returns them as they were written, whatever a [Memory] makes of them.
// It does not check whose thread it is: see [Inspect].
func Messages(ctx context.Context, st store.Store, thread string, n int) ([]llm.Message, error) {
	floor, gone, err := usedOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	r := store.Range{From: floor + 1, Kinds: []store.Kind{store.Message}, NewestFirst: true, Limit: n}
	return decodeNewest[llm.Message](gone.records(ctx, st, thread, r))
}

// A HistoryEntry is a turn of a conversation that ended, with its outcome. A run
// that was interrupted and resumed has an entry for each of its turns. All of
// them have the Turn with which the run began. [Settle] adds an entry too.
type HistoryEntry struct {
	Seq  int64     `json:"seq"` // of the record that ended it, for [Fork]
	Time time.Time `json:"time"`
	ID   string    `json:"id,omitempty"` // the client's id of the turn

	// MessageID is the client's id of the message: the last of [Turn].Shown.
	MessageID string `json:"message_id,omitempty"`

	Turn Turn `json:"turn"` // the turn with which the run began

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
	floor, gone, err := usedOf(ctx, st, thread)
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
	for rec, err := range gone.records(ctx, st, thread, r) {
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
	for rec, err := range gone.records(ctx, st, thread, r) {
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
	mine  string                       // the id of its message
	asked map[string]question.Question // the questions of the run, by their addresses
}

// read reads a record. Records come in their order.
func (t *turnReader) read(rec *store.Record) error {
	for t.at > 0 && t.entries[t.at].Seq < rec.Seq {
		t.at--
		t.entries[t.at].ID, t.entries[t.at].MessageID = t.id, t.mine // unless another turn follows
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
		t.id, t.mine, t.asked = began.Turn.ID, messageID(Turn(began.Turn)), nil
	case store.Resumed:
		var resumed resumedData
		if err := rec.Decode(&resumed); err != nil {
			return err
		}
		if resumed.Turn != nil || resumed.Said != "" {
			t.id, t.mine = resumed.ID, resumed.Message
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
		e.ID, e.MessageID = t.id, t.mine
	}
	return nil
}
