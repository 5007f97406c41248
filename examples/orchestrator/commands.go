package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// commands are the lines that begin with a slash.
var commands = []struct {
	name, argument, help string
	do                   func(c *conversation, ctx context.Context, argument string) error
}{
	{"history", "", "show this conversation", (*conversation).history},
	{"fork", "N NAME", "copy this conversation up to number N of /history, and continue the copy", (*conversation).fork},
	{"forget", "", "delete this conversation and begin again", (*conversation).forget},
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

func (c *conversation) fork(ctx context.Context, argument string) error {
	number, name, _ := strings.Cut(argument, " ")
	turns, err := qed.History(ctx, c.store, c.thread, 0)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(turns) {
		return fmt.Errorf("%q is not one of the numbers of /history", number)
	}
	if err := store.CheckConversation(name); err != nil {
		return err
	}
	if err := qed.Fork(ctx, c.store, c.thread, turns[n-1].Seq, name); err != nil {
		return err
	}
	return c.enter(ctx, name)
}

func (c *conversation) forget(ctx context.Context, _ string) error {
	if err := c.store.Delete(ctx, c.thread); err != nil {
		return err
	}
	c.show.Note("Conversation %s is deleted.", c.thread)
	return c.enter(ctx, c.thread)
}

func (c *conversation) quit(context.Context, string) error { return errQuit }
