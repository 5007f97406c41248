package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// conversation is what is said on one thread of a store.
type conversation struct {
	agent   qed.Agent
	store   store.Store
	durable *qed.DurableOptions // as the agent has them
	names   names
	show    *chat.Printer
	limits  qed.Limits // of one turn

	thread string
	open   []qed.Question // which wait for a reply
}

var (
	errQuit        = errors.New("the user has enough")
	errInterrupted = errors.New("interrupted: the same command shows what is there, and can go on with it")
	errInUse       = errors.New("another program is answering a question of this conversation: wait until it has, or take another conversation (/new, or -thread)")
)

// hold holds a conversation, until the user ends it or is there no more. What the
// script has left comes first, then what is typed.
func (c *conversation) hold(ctx context.Context, name string, script []string, typed func() (string, error)) error {
	name, script, err := c.choose(ctx, name, script)
	if err != nil {
		return err
	}
	next := input{show: c.show, script: script, typed: typed}
	err = c.enter(ctx, name)
	for {
		switch {
		case errors.Is(err, errQuit):
			return nil
		case ctx.Err() != nil:
			return errInterrupted
		case errors.Is(err, llm.ErrAuth) || err != nil && (next.scripted() || c.thread == ""):
			return err
		case err != nil:
			c.show.Note("%v", err)
		}
		line, failed := next.line()
		switch {
		case failed == io.EOF || ctx.Err() != nil && !next.scripted():
			return nil
		case failed != nil:
			return failed
		}
		err = c.take(ctx, line)
	}
}

// choose returns the conversation to begin with, and what the script has left there.
// Where none is named it is the last one; with a script, only if that is the
// script's and is not over.
func (c *conversation) choose(ctx context.Context, name string, script []string) (string, []string, error) {
	last := name
	if name == "" {
		opened, _, err := c.names.all(ctx)
		if err != nil || len(opened) == 0 {
			return "", script, err
		}
		last = opened[len(opened)-1]
	}
	if script == nil {
		return last, nil, nil
	}
	rest := c.rest(ctx, last, script)
	if rest == nil && name == "" {
		return "", script, nil
	}
	return last, rest, nil
}

// rest returns what the script has left in a conversation. It is nil where that is
// over, is another one, or cannot be read, as shows when it is entered.
func (c *conversation) rest(ctx context.Context, name string, script []string) []string {
	thread, err := qed.Inspect(ctx, c.store, name)
	if err != nil {
		return nil
	}
	said, err := qed.Messages(ctx, c.store, name, 0)
	if err != nil {
		return nil
	}
	rest, ok := left(script, said)
	switch {
	case !ok || len(rest) == 0 && thread.Status == qed.StatusAnswered:
		return nil
	case waits(thread.Status):
		return append([]string{""}, rest...) // an empty line goes on
	}
	return rest
}

// waits reports whether a run waits for the user to go on with it. One that was cut
// off does not: nobody wanted it to stop.
func waits(s qed.RunStatus) bool { return s == qed.StatusStopped || s == qed.StatusFailed }

// enter opens a conversation, a new one where name is empty, and shows where it
// stands. A turn that was cut off goes on.
func (c *conversation) enter(ctx context.Context, name string) error {
	name, err := c.names.open(ctx, name)
	if err != nil {
		return err
	}
	c.thread, c.open = name, nil
	thread, err := qed.Inspect(ctx, c.store, name)
	if err != nil {
		return fmt.Errorf("conversation %s cannot be read: %w", name, err)
	}
	if thread.Status == qed.StatusNone {
		c.show.Note("Conversation %s begins. Another time, -thread %[1]s goes on with it.", name)
		return nil
	}
	c.show.Note("Conversation %s goes on; /history shows all of it.", name)
	if err := c.showLast(ctx, thread); err != nil {
		return err
	}
	if thread.Status == qed.StatusRunning {
		if thread, err = c.outcome(ctx); err != nil {
			return err
		}
	}
	switch thread.Status {
	case qed.StatusCrashed:
		c.show.Note("This was cut off. It goes on.")
		return c.turn(ctx, qed.Turn{})
	case qed.StatusStopped:
		c.show.Note("This was interrupted. An empty line goes on with it.")
	case qed.StatusFailed:
		c.show.Note("This failed: %s\nAn empty line tries again.", thread.Error)
	case qed.StatusInterrupted:
		c.open = thread.Questions
		c.show.Asked(c.open)
	}
	return nil
}

// take does what a line says.
func (c *conversation) take(ctx context.Context, line string) error {
	switch {
	case strings.HasPrefix(line, "/"):
		return c.command(ctx, line)
	case line == "" && len(c.open) > 0:
		c.show.Asked(c.open)
		return nil
	}
	err := c.turn(ctx, qed.Turn{Text: line})
	if line == "" && errors.Is(err, qed.ErrQuestionClosed) {
		return errors.New("nothing waits to be gone on with: ask a question; /help says what else can be typed")
	}
	return err
}

// turn has the agent answer. Where a turn is under way on the thread already, it
// waits as long as that could be one that was cut off.
func (c *conversation) turn(ctx context.Context, turn qed.Turn) error {
	turn.Thread = c.thread
	ctx = qed.WithBudget(ctx, c.limits)
	answer, err := chat.Ask(ctx, c.agent, c.show, turn)
	if errors.Is(err, qed.ErrBusy) {
		if err = c.wait(ctx); err == nil {
			answer, err = chat.Ask(ctx, c.agent, c.show, turn)
		}
	}
	c.open = answer.Questions
	if err == nil || ctx.Err() != nil {
		return err
	}
	thread, lookErr := qed.Inspect(ctx, c.store, c.thread)
	switch {
	case lookErr != nil:
	case thread.Status == qed.StatusInterrupted:
		c.open = thread.Questions
	case waits(thread.Status):
		return fmt.Errorf("%w\nAn empty line tries again", err)
	}
	return err
}

// outcome waits for what becomes of a turn that seems to be under way: it was cut
// off, or somebody else sees to it, which is shown.
func (c *conversation) outcome(ctx context.Context) (qed.Thread, error) {
	if err := c.wait(ctx); err != nil {
		return qed.Thread{}, err
	}
	thread, err := qed.Inspect(ctx, c.store, c.thread)
	if err == nil && thread.Status != qed.StatusCrashed {
		err = c.showLast(ctx, thread)
	}
	return thread, err
}

// wait waits until no turn runs on the thread.
func (c *conversation) wait(ctx context.Context) error {
	c.show.Note("This conversation is being answered in another window, or was cut off a moment ago. Waiting up to %v.", c.durable.Lease)
	over := time.NewTimer(c.durable.Lease + time.Second)
	defer over.Stop()
	look := time.NewTicker(time.Second / 4)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over.C:
			return errInUse
		case <-look.C:
		}
		thread, err := qed.Inspect(ctx, c.store, c.thread)
		if err != nil {
			return err
		}
		if thread.Status != qed.StatusRunning {
			return nil
		}
	}
}
