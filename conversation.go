package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// recall sets the History of the run's turn. A resumed run has the same History
// as when it began.
func (rs *runState) recall(resumed bool) error {
	if rs.turn.History != nil {
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
	if l.run <= 1 {
		return nil, nil
	}
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
	if l.run <= 1 {
		return "", 0, nil
	}
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
