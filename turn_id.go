package qed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

var (
	// ErrInvalidTurnID reports that the ID of a turn is not valid UTF-8, has
	// characters that cannot be printed, or has more than 256 bytes, or that a
	// [Durable] agent has no thread in which to find it again.
	ErrInvalidTurnID = errors.New("qed: the id of the turn cannot be used")

	// ErrTurnReused reports that the ID of a turn belongs to a turn of the thread
	// with another text or other replies, or that a reply cannot be replaced ([Turn].Shown)
	// because the run has made an at-most-once call since.
	ErrTurnReused = errors.New("qed: the id belongs to another turn; a new message needs an id of its own")

	// ErrTurnGivenUp reports that a turn was sent again that did not end, and that
	// a later turn of the thread has given up.
	ErrTurnGivenUp = errors.New("qed: the turn did not end, and a later one has given it up")

	errTurnRunning = errors.New("qed: the turn itself is running") // see [BusyError].Repeated
	errAnswered    = errors.New("qed: the question was answered")  // see [AnsweredError]
)

// An AnsweredError is the error of a turn with a reply to a question that has
// another reply. It matches [ErrQuestionClosed].
type AnsweredError struct {
	Question string
	Reply    json.RawMessage // the reply that the question has
}

// Error returns the question and the beginning of its reply.
func (e *AnsweredError) Error() string {
	return fmt.Sprintf("%v: question %s was answered with %s; send that reply again to get its answer",
		ErrQuestionClosed, e.Question, prompt.Clip(string(e.Reply), 200))
}

// Is reports whether target is [ErrQuestionClosed].
func (e *AnsweredError) Is(target error) bool {
	return target == ErrQuestionClosed || target == errAnswered
}

// checkTurnID returns an error unless id can be the ID of a turn.
func checkTurnID(id string) error {
	if id == "" || store.CheckThread(id) == nil { // it has the same form
		return nil
	}
	return fmt.Errorf("%w: it may have 1 to 256 bytes of valid UTF-8 and printable characters", ErrInvalidTurnID)
}

// messageID returns the client's id of the message of a turn, or "".
func messageID(turn Turn) string {
	if len(turn.Shown) == 0 {
		return ""
	}
	return turn.Shown[len(turn.Shown)-1]
}

// turnAddress returns the address of the records that begin or resume a run with
// a turn: a store finds them by it. Empty means that the turn has no ID.
func turnAddress(turn *Turn) string {
	if turn.ID == "" {
		return ""
	}
	return shorten("turn/" + escape(turn.ID))
}

// isRepeatable reports whether a turn that is sent twice is known to be the same.
func isRepeatable(turn *Turn) bool { return turn.ID != "" || len(turn.Replies) > 0 }

// A sentTurn is a turn that the thread has.
type sentTurn struct {
	seq, run int64 // of the record that began or resumed the run with the turn
}

// repeat finds out whether turn was sent before. If it has ended, rs.repeated
// becomes its answer. If it can be resumed, turn becomes a turn that resumes its
// run. Replies that the thread has already are removed from a turn with others.
func (rs *runState) repeat(t *threadState, turn *Turn) error {
	if t.head == 0 || !isRepeatable(turn) {
		return nil
	}
	sent, err := rs.sentBefore(turn)
	if err != nil || sent.seq == 0 {
		return err
	}
	end, err := rs.endOf(sent)
	switch {
	case err != nil:
		return err
	case end != nil && end.Answer != nil:
		rs.repeated = end.Answer
		rs.repeated.Saved, rs.repeated.Repeated = true, true
	case end != nil:
		return fmt.Errorf("%w: the answer of the turn could not be saved", ErrNotFound)
	case sent.run != t.run:
		return fmt.Errorf("%w: thread %s", ErrTurnGivenUp, rs.thread)
	case t.status == store.StatusRunning:
		return &BusyError{Thread: rs.thread, RetryAt: t.free, Repeated: true}
	default:
		*turn = Turn{
			Thread: turn.Thread, User: turn.User, Tenant: turn.Tenant, Language: turn.Language, Calendar: turn.Calendar,
		}
	}
	return nil
}

// isRefused reports whether err, from repeat, is about the turn. Otherwise the store
// failed.
func isRefused(err error) bool {
	for _, about := range []error{
		ErrQuestionClosed, ErrTurnReused, ErrTurnGivenUp, ErrBusy, ErrNotFound, store.ErrCorrupt,
	} {
		if errors.Is(err, about) {
			return true
		}
	}
	return false
}

// sentBefore returns the turn of the thread that turn repeats, or a zero one.
func (rs *runState) sentBefore(turn *Turn) (sentTurn, error) {
	if turn.ID != "" {
		rec, err := rs.first(rs.scanAll, store.Range{
			Address: turnAddress(turn), Kinds: []store.Kind{store.Began, store.Resumed}, NewestFirst: true, Limit: 1,
		})
		if err != nil {
			return sentTurn{}, err
		}
		if rec.Seq != 0 {
			same, err := repeats(turn, &rec)
			if err == nil && !same {
				err = fmt.Errorf("%w: %s", ErrTurnReused, prompt.Clip(turn.ID, 100))
			}
			return sentTurn{rec.Seq, rec.Run}, err
		}
	}
	return rs.repliedBefore(turn)
}

// repeats reports whether a turn says what the turn of a record says. A turn that
// says nothing asks for the answer.
func repeats(turn *Turn, rec *store.Record) (bool, error) {
	var of Turn
	if rec.Kind == store.Began {
		var began beganData
		if err := readBegan(rec, &began); err != nil {
			return false, err
		}
		of = Turn(began.Turn)
	} else {
		var resumed resumedData
		if err := rec.Decode(&resumed); err != nil {
			return false, err
		}
		if of.Text = resumed.Said; resumed.Turn != nil {
			of = Turn(*resumed.Turn)
		}
	}
	if turn.Text == "" && len(turn.Replies) == 0 {
		return true, nil
	}
	// The replies to which a text was parsed are recorded with it.
	if turn.Text != of.Text || turn.Text == "" && len(turn.Replies) != len(of.Replies) {
		return false, nil
	}
	for _, r := range turn.Replies {
		if !slices.ContainsFunc(of.Replies, func(o question.Reply) bool {
			return o.Question == r.Question && sameJSON(o.Value, r.Value)
		}) {
			return false, nil
		}
	}
	return true, nil
}

// maxAsked is how many of the last questions of a thread are searched for those
// that a turn replies to.
const maxAsked = 200

// repliedBefore looks for the turn that made the replies of turn. It removes those
// that were made if there are others. A reply to a question that has another one
// is an [*AnsweredError].
func (rs *runState) repliedBefore(turn *Turn) (sentTurn, error) {
	if len(turn.Replies) == 0 {
		return sentTurn{}, nil
	}
	asked, err := rs.askedBy(turn.Replies)
	if err != nil {
		return sentTurn{}, err
	}
	var last store.Record // of the replies that were made before
	fresh := []question.Reply{}
	for _, r := range turn.Replies {
		made := store.Record{}
		if q, ok := asked[r.Question]; ok {
			made, err = rs.newest(store.Range{
				From: q.Seq, Address: q.Address, Kinds: []store.Kind{store.Reply}, NewestFirst: true, Limit: 1,
			})
			if err != nil {
				return sentTurn{}, err
			}
		}
		if made.Seq == 0 {
			fresh = append(fresh, r)
			continue
		}
		var given replyData
		if err := made.Decode(&given); err != nil {
			return sentTurn{}, err
		}
		if !sameJSON(given.Value, r.Value) {
			return sentTurn{}, &AnsweredError{Question: r.Question, Reply: given.Value}
		}
		if made.Seq > last.Seq {
			last = made
		}
	}
	if len(fresh) > 0 {
		turn.Replies = fresh
		return sentTurn{}, nil
	}
	rec, err := rs.newest(store.Range{
		To: last.Seq, Kinds: []store.Kind{store.Resumed}, NewestFirst: true, Limit: 1,
	})
	return sentTurn{rec.Seq, last.Run}, err
}

// askedBy returns the records of the questions that replies are for, by their ids.
func (rs *runState) askedBy(replies []question.Reply) (map[string]store.Record, error) {
	asked, missing := map[string]store.Record{}, map[string]bool{}
	for _, r := range replies {
		missing[r.Question] = true
	}
	r := store.Range{Kinds: []store.Kind{store.Question}, NewestFirst: true, Limit: maxAsked}
	err := rs.search(rs.scan, r, func(rec store.Record) (found bool, err error) {
		var q questionData
		if err := rec.Decode(&q); err != nil {
			return false, err
		}
		if missing[q.Question.ID] {
			delete(missing, q.Question.ID)
			asked[q.Question.ID] = rec
		}
		return len(missing) == 0, nil
	})
	return asked, err
}

// search calls look with the records of r, as scan reads them, until it reports that
// it found what it looks for. If the store fails, it begins again.
func (rs *runState) search(scan scanner, r store.Range, look func(store.Record) (found bool, err error)) error {
	return rs.log.Retry(func() error {
		return scan(r, func(rec store.Record) error {
			found, err := look(rec)
			if found {
				return errFound
			}
			return err
		})
	})
}

// endOf returns how a turn ended: the first end of its run after the turn that has
// an answer or questions. It returns nil if there is none yet.
func (rs *runState) endOf(sent sentTurn) (end *endedData, err error) {
	r := store.Range{From: sent.seq, Kinds: []store.Kind{store.Ended}}
	scan := rs.scan
	if rs.gone.has(sent.seq) {
		scan = rs.scanAll
	}
	err = rs.search(scan, r, func(rec store.Record) (found bool, err error) {
		var d endedData
		if rec.Run != sent.run {
			return true, nil
		}
		if err := rec.Decode(&d); err != nil {
			return false, err
		}
		found = d.Status == store.StatusAnswered || d.Status == store.StatusInterrupted && d.Answer != nil
		if found {
			end = &d
		}
		return found, nil
	})
	return end, err
}

// sameJSON reports whether two JSON values are equal.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, broken := strictjson.Any(a)
	y, err := strictjson.Any(b)
	return broken == nil && err == nil && reflect.DeepEqual(x, y)
}
