// Package integration tests qed with real database servers, search engines and
// programs. Everything in it is a test.
//
// A server starts when the first test needs it, on a free port of the loopback
// interface and in its own directory. It stops when the test binary ends.
package integration
