//go:build !unix

package mcpkit_test

// suspend blocks the call. A process cannot suspend itself here.
func suspend() { select {} }
