package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

type conversationEntry struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	Status  store.Status `json:"status"`
	Turns   int          `json:"turns"`
	Created time.Time    `json:"created"`
	Updated time.Time    `json:"updated"`

	// Questions are those that wait for a reply, if the status is interrupted.
	Questions []question.Question `json:"questions,omitempty"`
}

// storeOf returns the conversations of the owner of one.
func (h *Handler) storeOf(key threadKey) store.Store {
	return store.ForUser(h.store, key.tenant, key.user)
}

// statuses are those of conversations. Threads of streams have another one.
var statuses = []store.Status{
	store.StatusRunning, store.StatusCrashed, store.StatusAnswered, store.StatusInterrupted,
	store.StatusFailed, store.StatusStopped,
}

// conversations lists the conversations of a caller, the newest first.
func (h *Handler) conversations(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error {
	lister, ok := store.ForUser(h.opt.Store, c.Tenant, c.User).(store.Lister)
	if !ok {
		return &Error{Status: http.StatusNotImplemented, Code: "no_list",
			Message: "the store of this server has no list of conversations"}
	}
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	filter := store.ThreadFilter{
		User: &c.User, Tenant: &c.Tenant, Statuses: statuses, After: r.URL.Query().Get("after"), Limit: limit,
	}
	of := h.storeOf(threadKey{tenant: c.Tenant, user: c.User})
	list, next := []conversationEntry{}, ""
	for info, err := range h.store.threads(ctx, lister, filter) {
		if errors.Is(err, store.ErrInvalidPosition) {
			err = badRequest("after is not the next of a list before")
		}
		if err != nil {
			return err
		}
		list = append(list, conversationEntry{
			ID: info.Thread, Title: info.Title, Status: info.Status, Turns: info.Turns,
			Created: info.Created, Updated: info.Updated,
		})
		next = info.Position
	}
	for i := range list {
		if e := &list[i]; e.Status == store.StatusInterrupted {
			thread, err := qed.Inspect(ctx, of, e.ID)
			if err != nil && !errors.Is(err, store.ErrCorrupt) {
				return err
			}
			e.Questions = thread.Questions
		}
	}
	if len(list) < limit {
		next = ""
	}
	writeJSON(w, http.StatusOK, map[string]any{"conversations": list, "next": next})
	return nil
}

const maxListed = 100

func limitOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit") // FormValue would store the files of a body
	if text == "" {
		return maxListed, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxListed {
		return 0, badRequest("limit must be a number from 1 to %d", maxListed)
	}
	return n, nil
}

// A conversationTurn is a turn of a conversation as its user sees it.
type conversationTurn struct {
	ID      string                 `json:"id,omitempty"`         // the client's id of the turn
	Asked   string                 `json:"message_id,omitempty"` // the client's id of the message
	Time    time.Time              `json:"time"`
	Message string                 `json:"message"`
	Replies []qed.AnsweredQuestion `json:"replies,omitempty"`
	Status  store.Status           `json:"status"`
	Answer  *qed.Answer            `json:"answer,omitempty"` // a long table has its first rows only
}

// conversation returns the last turns of a conversation, oldest first, and its open
// questions.
func (h *Handler) conversation(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error {
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := checkIDs(ctx, qed.Turn{Thread: id}); err != nil {
		return err
	}
	of := h.storeOf(threadKey{tenant: c.Tenant, user: c.User})
	thread, err := qed.Inspect(ctx, of, id)
	if err == nil && (thread.Status == "" || thread.Turn.User != c.User || thread.Turn.Tenant != c.Tenant) {
		return &Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is no such conversation"}
	}
	if err != nil {
		return err
	}
	history, err := qed.History(ctx, of, id, limit)
	if err != nil {
		return err
	}
	turns := []conversationTurn{}
	for _, e := range history {
		turns = append(turns, conversationTurn{e.ID, e.MessageID, e.Time, e.Message, e.Replies, e.Status, e.Answer})
	}
	questions := thread.Questions
	if questions == nil {
		questions = []question.Question{}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": id, "status": thread.Status, "turns": turns, "questions": questions, "updated": thread.Updated,
	})
	return nil
}

func (h *Handler) delete(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if err := checkIDs(ctx, qed.Turn{Thread: id}); err != nil {
		return err
	}
	err := h.Delete(ctx, c, id)
	if errors.Is(err, qed.ErrBusy) {
		err = failure(failed(ctx, qed.Turn{Thread: id}, err), http.StatusConflict)
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// Delete deletes a conversation of a caller, and what Rejoin keeps of it. It does
// nothing if the caller has no such conversation. The error matches [qed.ErrBusy] while
// a turn of it runs.
func (h *Handler) Delete(ctx context.Context, c Caller, conversation string) error {
	if h.opt.Store == nil {
		return errors.New("serve: no conversation can be deleted: Options.Store is nil")
	}
	key := threadKey{c.Tenant, c.User, conversation}
	of := h.storeOf(key)
	thread, err := qed.Inspect(ctx, of, conversation)
	switch {
	case errors.Is(err, store.ErrInvalidThread):
		return nil
	case err != nil:
		return err
	case thread.Status != "" && (thread.Turn.User != c.User || thread.Turn.Tenant != c.Tenant):
		return nil
	}
	var last journalState
	if err := journalOf(h.store, key).read(ctx, &last); err != nil {
		return err
	}
	if thread.Status == store.StatusRunning || h.runs(key) || h.live(key) == nil && last.runs() {
		return fmt.Errorf("serve: the conversation cannot be deleted: %w", qed.ErrBusy)
	}
	h.forget(key)
	return errors.Join(of.Delete(ctx, conversation), h.store.Delete(ctx, journalOf(h.store, key).thread))
}
