package rag

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// An htmlStruck is an open element whose text is struck out, which a reader knows as not
// valid any more. Its text is left out.
type htmlStruck struct {
	name   atom.Atom // 0: none is open
	within int       // how many elements of the same name are open in it
	blocks int       // how many blocks
}

func (s *htmlStruck) open() bool { return s.name != 0 }

// enter is called for a start tag, and reports whether the element is struck.
func (s *htmlStruck) enter(name atom.Atom, style string, closed bool) bool {
	if s.open() && s.blocks == 0 && s.within == 0 && endsBefore(s.name, name) {
		*s = htmlStruck{}
	}
	switch {
	case s.open():
		if closed {
			break
		}
		if name == s.name {
			s.within++
		}
		if endsStruck(name) {
			s.blocks++
		}
	case closed || voidElements[name]:
	case name == atom.S, name == atom.Strike, name == atom.Del, strings.Contains(strings.ToLower(style), "line-through"):
		*s = htmlStruck{name: name}
	}
	return s.open()
}

// endsBefore reports whether an open element without an end tag ends where another one
// begins, as <p> and <li> do.
func endsBefore(open, next atom.Atom) bool {
	switch open {
	case atom.P:
		return endsStruck(next) || next == atom.Pre || next == atom.H1 || next == atom.H2 || next == atom.H3
	case atom.Li, atom.Tr, atom.Option:
		return next == open
	case atom.Dt, atom.Dd:
		return next == atom.Dt || next == atom.Dd
	case atom.Td, atom.Th:
		return next == atom.Td || next == atom.Th || next == atom.Tr
	}
	return false
}

// leave is called for an end tag, and reports whether it belongs to struck text. An
// element that is not closed ends with the block around it.
func (s *htmlStruck) leave(name atom.Atom) bool {
	switch {
	case !s.open():
		return false
	case name == s.name && s.within == 0:
		*s = htmlStruck{}
		return !endsStruck(name) // the end of a block is one for the text around it too
	case name == s.name:
		s.within--
		if endsStruck(name) {
			s.blocks = max(0, s.blocks-1)
		}
	case endsStruck(name) && s.blocks > 0:
		s.blocks--
	case endsStruck(name):
		*s = htmlStruck{}
		return false
	}
	return true
}

// endsStruck reports whether struck text ends with an element around it.
func endsStruck(name atom.Atom) bool {
	return blockElements[name] || name == atom.Td || name == atom.Th || name == atom.Tr || name == atom.Table
}

// voidElements have no end tag.
var voidElements = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true,
	atom.Input: true, atom.Link: true, atom.Meta: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}
