package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
)

// commands are the lines that begin with a slash.
var commands = []struct {
	name, argument, help string
	do                   func(c *conversation, ctx context.Context, argument string) error
}{
	{"history", "", "show this conversation", (*conversation).history},
	{"threads", "", "list the conversations", (*conversation).threads},
	{"thread", "NAME", "continue another conversation", (*conversation).other},
	{"new", "", "begin a new conversation", (*conversation).begin},
	{"fork", "N", "copy this conversation up to number N of /history, and continue the copy", (*conversation).fork},
	{"forget", "", "delete this conversation and begin a new one", (*conversation).forget},
	{"quit", "", "end the program; the conversations are kept", (*conversation).quit},
}

func (c *conversation) command(ctx context.Context, line string) error {
	name, argument, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	argument = strings.TrimSpace(argument)
	for _, command := range commands {
		switch {
		case command.name != name:
		case (command.argument == "") != (argument == ""):
			return fmt.Errorf("usage: /%s", strings.TrimSpace(name+" "+command.argument))
		default:
			return command.do(c, ctx, argument)
		}
	}
	if name != "help" {
		return fmt.Errorf("there is no command /%s: /help lists the commands", name)
	}
	var b strings.Builder
	for _, command := range commands {
		fmt.Fprintf(&b, "/%-14s %s\n", strings.TrimSpace(command.name+" "+command.argument), command.help)
	}
	c.show.Note("%s%s", &b, "An empty line resumes what was interrupted or failed. When you are asked a question, type a reply\n"+
		"(a number, a text, other words), another request instead, or \"never mind\" to drop the question.")
	return nil
}

func (c *conversation) history(ctx context.Context, _ string) error { return c.showAll(ctx) }

// threads lists the conversations, the last opened one at the end.
func (c *conversation) threads(ctx context.Context, _ string) error {
	opened, _, err := c.names.all(ctx)
	if err != nil {
		return err
	}
	for _, name := range opened {
		thread, err := qed.Inspect(ctx, c.store, name)
		about := thread.Turn.Text
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			about = "cannot be read: " + err.Error()
		case thread.Status == "" && name != c.thread:
			continue // deleted, or without a message
		case thread.Status == "":
			about = "(no question yet)"
		}
		when := ""
		if !thread.Updated.IsZero() {
			when = thread.Updated.Local().Format(time.DateTime)
		}
		c.show.Note("%-12s %-19s  %s", name, when, about)
	}
	return nil
}

func (c *conversation) other(ctx context.Context, name string) error {
	if err := checkThread(name); err != nil {
		return err
	}
	return c.enter(ctx, name)
}

func (c *conversation) begin(ctx context.Context, _ string) error { return c.enter(ctx, "") }

func (c *conversation) fork(ctx context.Context, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not one of the numbers of /history", number)
	}
	at, err := c.endOf(ctx, n)
	if err != nil {
		return err
	}
	name, err := c.names.open(ctx, "")
	if err != nil {
		return err
	}
	if err := qed.Fork(ctx, c.store, c.thread, at, name); err != nil {
		return err
	}
	return c.enter(ctx, name)
}

func (c *conversation) forget(ctx context.Context, _ string) error {
	if err := c.store.Delete(ctx, c.thread); err != nil {
		return err
	}
	c.show.Note("Conversation %s is deleted.", c.thread)
	return c.enter(ctx, "")
}

func (c *conversation) quit(context.Context, string) error { return errQuit }
