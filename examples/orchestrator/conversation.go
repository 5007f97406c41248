package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// conversation asks the agent on one thread of a store.
type conversation struct {
	agent qed.Agent
	store store.Store
	show  *chat.Printer

	thread string
	open   []question.Question // the questions that wait for a reply
}

var (
	errQuit        = errors.New("the user quits")
	errInterrupted = errors.New("interrupted: the same command shows the conversation and can resume it")
	errInUse       = errors.New("another process is answering a question of this conversation: " +
		"wait, or use another conversation (-thread)")
)

// hold runs a conversation until the user quits or the input ends. The lines that the
// script has left come first, then the lines that are typed.
func (c *conversation) hold(ctx context.Context, name string, script []string, typed func() (string, error)) error {
	next := input{show: c.show, script: c.rest(ctx, name, script), typed: typed}
	err := c.enter(ctx, name)
	for {
		switch {
		case errors.Is(err, errQuit):
			return nil
		case ctx.Err() != nil:
			return errInterrupted
		case errors.Is(err, llm.ErrAuth) || err != nil && next.scripted():
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

// rest returns the lines that the script has left in a conversation. It returns nil if
// the conversation is over, is not the script's, or cannot be read; enter reports why.
func (c *conversation) rest(ctx context.Context, name string, script []string) []string {
	if script == nil {
		return nil
	}
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
	case !ok || len(rest) == 0 && thread.Status == store.StatusAnswered:
		return nil
	case waits(thread.Status):
		return append([]string{""}, rest...) // an empty line resumes it
	}
	return rest
}

// waits reports whether a run waits until the user resumes it. A run that was cut off
// does not: it is resumed at once.
func waits(s store.Status) bool { return s == store.StatusStopped || s == store.StatusFailed }

// enter opens a conversation, which need not exist, and prints its state. A turn that was
// cut off is resumed.
func (c *conversation) enter(ctx context.Context, name string) error {
	c.thread, c.open = name, nil
	thread, err := qed.Inspect(ctx, c.store, name)
	if err != nil {
		return fmt.Errorf("conversation %s cannot be read: %w", name, err)
	}
	if thread.Status == "" {
		c.show.Note("Conversation %s begins. To continue it later: -thread %[1]s.", name)
		return nil
	}
	c.show.Note("Conversation %s continues; /history shows all of it.", name)
	if err := c.showLast(ctx, thread); err != nil {
		return err
	}
	if thread.Status == store.StatusRunning {
		if thread, err = c.outcome(ctx); err != nil {
			return err
		}
	}
	switch thread.Status {
	case store.StatusCrashed:
		c.show.Note("This turn was cut off and is resumed.")
		return c.turn(ctx, qed.Turn{})
	case store.StatusStopped:
		c.show.Note("This turn was interrupted. An empty line resumes it.")
	case store.StatusFailed:
		c.show.Note("This turn failed: %s\nAn empty line tries again.", thread.Error)
	case store.StatusInterrupted:
		c.open = thread.Questions
		c.show.Questions(c.open)
	}
	return nil
}

// take runs a command, or a turn with the line as its text.
func (c *conversation) take(ctx context.Context, line string) error {
	switch {
	case strings.HasPrefix(line, "/"):
		return c.command(ctx, line)
	case line == "" && len(c.open) > 0:
		c.show.Questions(c.open)
		return nil
	}
	err := c.turn(ctx, qed.Turn{Text: line})
	if line == "" && errors.Is(err, qed.ErrQuestionClosed) {
		return errors.New("there is nothing to resume: ask a question; /help lists what else can be typed")
	}
	return err
}

// turn runs a turn. If another one is running on the thread, it waits first: that turn
// ends, or was cut off and its lease expires.
func (c *conversation) turn(ctx context.Context, turn qed.Turn) error {
	turn.Thread = c.thread
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
	thread, inspectErr := qed.Inspect(ctx, c.store, c.thread)
	switch {
	case inspectErr != nil:
	case thread.Status == store.StatusInterrupted:
		c.open = thread.Questions
	case waits(thread.Status):
		return fmt.Errorf("%w\nAn empty line tries again", err)
	}
	return err
}

// outcome waits for a turn that seems to be running. If the turn was not cut off,
// another process has run it, and its messages are printed.
func (c *conversation) outcome(ctx context.Context) (qed.Thread, error) {
	if err := c.wait(ctx); err != nil {
		return qed.Thread{}, err
	}
	thread, err := qed.Inspect(ctx, c.store, c.thread)
	if err == nil && thread.Status != store.StatusCrashed {
		err = c.showLast(ctx, thread)
	}
	return thread, err
}

// wait waits until no turn runs on the thread.
func (c *conversation) wait(ctx context.Context) error {
	c.show.Note("Another process is answering in this conversation, or was cut off a moment ago. Waiting up to %v.", lease)
	over := time.NewTimer(lease + time.Second)
	defer over.Stop()
	poll := time.NewTicker(time.Second / 4)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over.C:
			return errInUse
		case <-poll.C:
		}
		thread, err := qed.Inspect(ctx, c.store, c.thread)
		if err != nil {
			return err
		}
		if thread.Status != store.StatusRunning {
			return nil
		}
	}
}
