package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Messages returns the last n messages of a thread, oldest first; n of 0 means all. They are as they were said, whatever a [Memory] tells a model of them.
// It asks for no user: see [Inspect].
func Messages(ctx context.Context, st store.Store, thread string, n int) ([]llm.Message, error) {
	floor, err := floorOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	var newest []llm.Message
	for rec, err := range st.Records(ctx, thread, store.Range{From: floor + 1, Kinds: []store.Kind{store.Message}, NewestFirst: true, Limit: n}) {
		if err != nil {
			return nil, err
		}
		var m llm.Message
		if err := rec.Decode(&m); err != nil {
			return nil, err
		}
		newest = append(newest, m)
	}
	messages := make([]llm.Message, len(newest))
	for i, m := range newest {
		messages[len(newest)-1-i] = m
	}
	return messages, nil
}

// recall fills in what was said before the run, the same as ever when it goes on.
func (j *journal) recall(goesOn bool) error {
	if j.turn.History != nil {
		return nil
	}
	choose := j.opt.Memory.recall
	if goesOn {
		choose = j.opt.Memory.recallAgain
	}
	history, err := choose(j.ctx, messageLog{j})
	switch {
	case err == nil:
		j.turn.History = history
	case cancelled(j.ctx) != nil:
		return cancelled(j.ctx)
	case errors.Is(err, store.ErrCorrupt):
		j.floor = j.run - 1
		j.startFresh(err)
	default:
		j.tell.forward(Event{Data: SaveFailed{"what was said before cannot be read: " + err.Error()}})
	}
	return nil
}

// A messageLog is the conversation before a run. See [Memory].
type messageLog struct{ *journal }

func (l messageLog) messages(ctx context.Context, from int64, newest int) ([]numbered, error) {
	if l.run <= 1 {
		return nil, nil
	}
	var found []numbered
	err := l.scan(store.Range{
		From: max(from, l.floor+1), To: l.run - 1, Kinds: []store.Kind{store.Message}, NewestFirst: true, Limit: newest,
	}, func(rec store.Record) error {
		n := numbered{seq: rec.Seq}
		if err := rec.Decode(&n.message); err != nil {
			return err
		}
		if n.message.Role == "" {
			return fmt.Errorf("%w: number %d, a message that nobody said", store.ErrCorrupt, rec.Seq)
		}
		found = append(found, n)
		return nil
	})
	for i, k := 0, len(found)-1; i < k; i, k = i+1, k-1 {
		found[i], found[k] = found[k], found[i]
	}
	return found, err
}

func (l messageLog) summary(ctx context.Context) (text string, through int64, err error) {
	if l.run <= 1 {
		return "", 0, nil
	}
	// One that this run made when it began counts: it is of what was said before.
	err = l.scan(store.Range{From: l.floor + 1, Kinds: []store.Kind{store.Summary}, NewestFirst: true, Limit: 1}, func(rec store.Record) error {
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

// messageRecord is the record of what somebody said.
func messageRecord(role llm.Role, text string) store.Record {
	data, _ := json.Marshal(llm.Message{Role: role, Content: text}) // strings have a JSON form
	return store.Record{Kind: store.Message, Data: data}
}

// inWords is what a conversation remembers of an answer: what was said, and what was asked of the data for it.
func inWords(a *Answer) string {
	text := a.Text
	for _, q := range a.Queries {
		if q.Written != "" {
			text += "\n(" + q.Language + ": " + q.Written + ")"
		}
	}
	return text
}
