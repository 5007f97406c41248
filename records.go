package qed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// The data of the runtime's records. Fields are added and never changed: logs
// outlive programs.

// beganData is the data of a [store.Began] record.
type beganData struct {
	Turn   loggedTurn    `json:"turn"`
	Key    string        `json:"key"`              // random; ids and handles are made of it
	Lease  time.Duration `json:"lease"`            // see [DurableOptions], in nanoseconds
	Floor  int64         `json:"floor,omitempty"`  // records up to this number are not used
	Title  string        `json:"title,omitempty"`  // of the thread
	Turns  int           `json:"turns,omitempty"`  // how many runs were begun, with this one
	Closed *closed       `json:"closed,omitempty"` // the open questions that the turn closed

	Replaced replaced `json:"replaced,omitempty"`

	// Calls are as in endedData, when the run began.
	Calls []string `json:"calls,omitzero"`

	Spent spentData `json:"spent,omitzero"`
}

// A loggedTurn is a [Turn] as it is recorded: with the fields that the JSON form
// of a Turn does not have.
type loggedTurn struct {
	Thread       string           `json:"conversation_id,omitempty"`
	ID           string           `json:"turn_id,omitempty"`
	Shown        []string         `json:"shown,omitempty"` // the last one alone
	User         string           `json:"user_id,omitempty"`
	Tenant       string           `json:"company_id,omitempty"`
	Text         string           `json:"message"`
	Language     string           `json:"language,omitempty"`
	Calendar     *dates.Calendar  `json:"calendar,omitempty"`
	Intent       question.Intent  `json:"intent,omitempty"`
	IntentReason string           `json:"intent_reason,omitempty"`
	Replies      []question.Reply `json:"replies,omitempty"`
	History      []llm.Message    `json:"history,omitempty"`
}

// closed is why open questions were closed.
type closed struct {
	Questions []string        `json:"questions"`
	Intent    question.Intent `json:"intent"`
	Reason    string          `json:"reason,omitempty"`
}

// resumedData is the data of a [store.Resumed] record.
type resumedData struct {
	Key  string      `json:"key"`            // random; it tells two processes apart that resume the run
	Turn *loggedTurn `json:"turn,omitempty"` // the turn with the replies; nil if there are none
	ID   string      `json:"id,omitempty"`   // of a turn with a text or replies
	Said string      `json:"said,omitempty"` // the text of a turn without replies

	Message  string   `json:"message_id,omitempty"` // the client's id of the message
	Replaced replaced `json:"replaced,omitempty"`

	Spent spentData `json:"spent,omitzero"`
}

// endedData is the data of a [store.Ended] record. It has all that the next
// turn needs to know.
type endedData struct {
	Status store.Status `json:"status"`
	User   string       `json:"user,omitempty"`
	Tenant string       `json:"tenant,omitempty"`
	Floor  int64        `json:"floor,omitempty"`

	Replaced replaced `json:"replaced,omitempty"`

	Title  string    `json:"title,omitempty"` // of the thread
	Turns  int       `json:"turns,omitempty"` // how many runs were begun
	Answer *Answer   `json:"answer,omitempty"`
	Error  string    `json:"error,omitempty"`
	Call   string    `json:"call,omitempty"` // the address of the call that failed the run
	Spent  spentData `json:"spent,omitzero"`

	// Calls are the addresses of the at-most-once calls in namespaces that had not
	// returned, of this run and those before. Some of them may have. Nil means that
	// they are not known: an older version wrote the record.
	Calls []string `json:"calls,omitzero"`
}

// stateData is the data of a [store.Checkpoint] record, whose state is an S.
type stateData[S any] struct {
	Fingerprint string `json:"fingerprint"`
	Node        string `json:"node"`
	Step        int    `json:"step"`
	State       S      `json:"state"`
}

// calledData is the data of a [store.Called] record.
type calledData struct {
	In    string          `json:"in"` // the hash of the input
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"` // see [UnresolvedCall]
}

// returnedData is the data of a [store.Returned] record: a value or an error.
type returnedData struct {
	In      string          `json:"in"` // the hash of the input
	Attempt int             `json:"attempt"`
	Value   json.RawMessage `json:"value,omitempty"`
	Error   *failure        `json:"error,omitempty"`
	Spent   spentData       `json:"spent,omitzero"`
	Stopped bool            `json:"stopped,omitempty"` // the call did nothing: it interrupted the run, or failed safely
}

// encodeWith returns the JSON of r with a Value, which is not encoded again: it can
// be large.
func (r returnedData) encodeWith(value json.RawMessage) (json.RawMessage, error) {
	rest, err := encode(r)
	if err != nil {
		return nil, err
	}
	data := slices.Concat(rest[:len(rest)-1], []byte(`,"value":`), value, []byte{'}'})
	return data, checkDepth(data)
}

// spentData is what the run has spent since it began, when a record was
// written.
type spentData struct {
	Tokens     int `json:"tokens,omitempty"`
	ModelCalls int `json:"model_calls,omitempty"`
	ToolCalls  int `json:"tool_calls,omitempty"`
	Rows       int `json:"rows,omitempty"`

	Usage llm.Usage `json:"usage,omitzero"`
}

func (rs *runState) spentSoFar() spentData {
	s := rs.meter.Spent()
	return spentData{
		Tokens: s.Tokens, ModelCalls: s.ModelCalls, ToolCalls: s.ToolCalls, Rows: s.Rows, Usage: rs.spending.total(),
	}
}

func (s spentData) limits() budget.Limits {
	return budget.Limits{Tokens: s.Tokens, ModelCalls: s.ModelCalls, ToolCalls: s.ToolCalls, Rows: s.Rows}
}

// raise makes each amount of s at least that of other. Records of parallel
// calls are not in the order in which the calls spent.
func (s *spentData) raise(other spentData) {
	s.Tokens, s.ModelCalls = max(s.Tokens, other.Tokens), max(s.ModelCalls, other.ModelCalls)
	s.ToolCalls, s.Rows = max(s.ToolCalls, other.ToolCalls), max(s.Rows, other.Rows)
	s.Usage = atLeast(s.Usage, other.Usage)
}

// questionData is the data of a [store.Question] record.
type questionData struct {
	Question question.Question `json:"question"`
	Path     string            `json:"path,omitempty"` // of the event
}

// replyData is the data of a [store.Reply] record.
type replyData struct {
	Value json.RawMessage `json:"value"`
}

// summaryData is the data of a [store.Summary] record.
type summaryData struct {
	Text    string `json:"text"`
	Through int64  `json:"through"` // the number of the last message that is summarised
}

// maxDepth is how deep JSON may be nested that package json reads.
const maxDepth = 10_000

// encode returns the JSON of v, which is the data of a record or is to become a
// part of it. It returns an error if the JSON could not be read again, and for a
// panic of v's own encoding.
func encode(v any) (data json.RawMessage, err error) {
	defer recoverInto(&err)
	data, err = json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return data, checkDepth(data)
}

// checkDepth returns an error if data, which is JSON, could not be read again.
func checkDepth(data json.RawMessage) error {
	opened := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("["))
	if opened > maxDepth && !json.Valid(data) {
		return fmt.Errorf("its JSON is nested deeper than %d levels, and could not be read again", maxDepth)
	}
	return nil
}

// readBegan decodes a [store.Began] record, which every later record of the run
// depends on.
func readBegan(rec *store.Record, began *beganData) error {
	if err := rec.Decode(began); err != nil {
		return err
	}
	if began.Turn.Text == "" || began.Key == "" || began.Lease <= 0 {
		return fmt.Errorf("%w: number %d, the beginning of a run without a turn", store.ErrCorrupt, rec.Seq)
	}
	return nil
}

// checkThread returns an error unless st is a store and id can be the id of a
// conversation.
func checkThread(st store.Store, id string) error {
	if st == nil {
		return errors.New("qed: the Store is nil: pass the store that has the conversation")
	}
	return store.CheckConversation(id)
}

// aborts reports whether the questions were closed by the user's wish to stop.
func (c *closed) aborts() bool { return c != nil && c.Intent == question.IntentAbort }

func messageRecord(role llm.Role, text string) store.Record {
	data, _ := json.Marshal(llm.Message{Role: role, Content: text}) // strings have a JSON form
	return store.Record{Kind: store.Message, Data: data}
}

func replyRecord(address string, value json.RawMessage) store.Record {
	data, _ := json.Marshal(replyData{value}) // value was checked to be JSON
	return store.Record{Kind: store.Reply, Address: address, Data: data}
}

// Remember adds an entry to those that the thread remembers under a name, such
// as the tasks that were done. A resumed run does not add it again. Names are
// the host's; slashes separate their parts. Outside a durable run, and if the
// store fails, nothing is remembered.
func Remember[T any](ctx context.Context, name string, entry T) error {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return nil
	}
	if err := sc.place.ready(); err != nil {
		return err
	}
	if err := checkJSON[T](); err != nil {
		return fmt.Errorf("qed: an entry of %s %w", name, err)
	}
	data, err := encode(&entry)
	if err != nil {
		return fmt.Errorf("qed: an entry of %s cannot be saved: %w", name, err)
	}
	// The hash tells entries apart that are added at the same position.
	own := sc.place.child(":remember." + hashOfJSON(data))
	leave, err := own.exclusive(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if found, err := own.result(&recording{name: "an entry of " + name}, ""); found != nil || err != nil {
		return err
	}
	returned, err := json.Marshal(returnedData{Attempt: 1, Value: json.RawMessage("null")})
	if err != nil {
		return err
	}
	return sc.place.log.recordOrKeep(
		store.Record{Kind: store.Memory, Address: memoryAddress(name), Data: data},
		store.Record{Kind: store.Returned, Address: own.address, Data: returned})
}

// Remembered returns the last n entries that the thread remembers under a name,
// oldest first; n of 0 means all. An entry that is not a T is an error. Outside
// a durable run there are no entries.
func Remembered[T any](ctx context.Context, name string, n int) ([]T, error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return nil, nil
	}
	rs := sc.place.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if head, _ := rs.log.Head(); head == 0 {
		return nil, nil
	}
	var entries []T
	err := rs.scan(entryRange(rs.floor, name, n), func(rec store.Record) error {
		return appendEntry(&entries, &rec)
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(entries)
	return entries, nil
}

// Entries returns the last n entries that a thread remembers under a name,
// oldest first, as [Remembered] does within a run; n of 0 means all. It does
// not check whose thread it is: see [Inspect].
func Entries[T any](ctx context.Context, st store.Store, thread, name string, n int) ([]T, error) {
	floor, gone, err := usedOf(ctx, st, thread)
	if err != nil {
		return nil, err
	}
	return decodeNewest[T](gone.records(ctx, st, thread, entryRange(floor, name, n)))
}

// decodeNewest decodes records that come newest first, and returns them oldest
// first.
func decodeNewest[T any](recs iter.Seq2[store.Record, error]) ([]T, error) {
	var entries []T
	for rec, err := range recs {
		if err != nil {
			return nil, err
		}
		if err := appendEntry(&entries, &rec); err != nil {
			return nil, err
		}
	}
	slices.Reverse(entries)
	return entries, nil
}

func appendEntry[T any](entries *[]T, rec *store.Record) error {
	var entry T
	if err := rec.Decode(&entry); err != nil {
		return err
	}
	*entries = append(*entries, entry)
	return nil
}

func entryRange(floor int64, name string, n int) store.Range {
	return store.Range{
		From: floor + 1, Address: memoryAddress(name), Kinds: []store.Kind{store.Memory}, NewestFirst: true, Limit: n,
	}
}

func memoryAddress(name string) string { return shorten("memory/" + escapePath(name)) }

var (
	// ErrNotFound reports that nothing is saved under a handle.
	ErrNotFound = errors.New("qed: nothing is saved under the handle")

	// ErrTooLarge reports that a value is larger than what may be saved.
	ErrTooLarge = errors.New("qed: too large")
)

// Save saves v, such as rows or documents that a turn found, in the thread of
// the run. [Load] returns it for the handle as long as the thread exists. So a
// graph's state need not carry v from node to node: a handle and a sample
// suffice.
//
// v goes through JSON and must not lose anything there. If its JSON is larger
// than 1 MiB, the error matches [ErrTooLarge]. Outside
// a durable run, and if the store fails, nothing is saved and the handle is
// empty: the caller must keep v itself.
func Save[T any](ctx context.Context, v T) (handle string, err error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return "", nil
	}
	if err := sc.place.ready(); err != nil {
		return "", err
	}
	if err := checkJSON[T](); err != nil {
		return "", fmt.Errorf("qed: a value that is to be saved %w", err)
	}
	data, err := encode(v)
	if err != nil {
		return "", fmt.Errorf("qed: the value cannot be saved: %w", err)
	}
	rs := sc.place.log
	if len(data) > maxSavedBytes {
		return "", fmt.Errorf("%w: the value has %d bytes, and at most %d are allowed", ErrTooLarge, len(data), maxSavedBytes)
	}
	own := sc.place.child(":save")
	handle = savedPrefix + own.id("s")
	if rs.hasSaved(handle, data) {
		return handle, nil
	}
	err = rs.record(store.Record{Kind: store.Saved, Address: handle, Data: data})
	switch {
	case err == runlog.ErrLost:
		return "", nil
	case err != nil:
		return "", err
	}
	return handle, nil
}

const (
	savedPrefix   = "saved/"
	maxSavedBytes = 1 << 20 // of the JSON of a value
)

// Load returns the value that the thread of the run has under a handle. If
// there is none, the error matches [ErrNotFound].
func Load[T any](ctx context.Context, handle string) (v T, err error) {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return v, fmt.Errorf("%w %q: the run has no store", ErrNotFound, prompt.Clip(handle, 100))
	}
	data, err := sc.place.log.saved(handle)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("qed: the value saved under %s is of another type: %w", handle, err)
	}
	return v, nil
}

// hasSaved reports whether data is saved under a handle already.
func (rs *runState) hasSaved(handle string, data []byte) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k := rs.known[handle]
	return k != nil && bytes.Equal(k.saved, data)
}

// saved returns the JSON under a handle, from this run or an earlier one. If a
// resumed run saved another value, it is the last one.
func (rs *runState) saved(handle string) (json.RawMessage, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if k := rs.known[handle]; k != nil && k.saved != nil {
		return k.saved, nil
	}
	notFound := fmt.Errorf("%w %q", ErrNotFound, prompt.Clip(handle, 100))
	if head, _ := rs.log.Head(); head == 0 || !strings.HasPrefix(handle, savedPrefix) {
		return nil, notFound
	}
	r := store.Range{From: rs.floor + 1, Address: handle, Kinds: []store.Kind{store.Saved}, NewestFirst: true, Limit: 1}
	if err := rs.scan(r, rs.learn); err != nil {
		return nil, err
	}
	if k := rs.known[handle]; k != nil && k.saved != nil {
		return k.saved, nil
	}
	return nil, notFound
}
