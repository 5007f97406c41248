package joingraph

// weights were fitted by TestFit on the Spider schemas. The comments say how many of
// the candidates with a feature were right.
var weights = vector{
	1.25,  // same key name: 1059 of 1153
	2.05,  // named after the table: 97 of 100
	0.56,  // role and table: 11 of 14
	0.54,  // named like the table: 46 of 54
	-1.58, // role and table, no key word: 8 of 18
	1.44,  // ends with the key's name: 44 of 45
	-0.79, // abbreviates the table: 6 of 14
	1.83,  // end of the table's name: 14 of 14
	-2.03, // beginning of the table's name: 2 of 20
	1.21,  // table and role: 10 of 10
	-0.05, // date of a calendar: 5 of 6
	-0.73, // role of a person: 12 of 18
	1.10,  // parent row: 0 of 0
	-3.66, // both are plain keys: 12 of 506
	1.39,  // same name, no table of that name: 32 of 43
	0.00,  // names say nothing: 0 of 0
	1.50,  // declared key: 683 of 988
	0.00,  // guessed key: 25 of 27
	0.28,  // key named after its table: 1217 of 1842
	-0.09, // key not named after its table: 109 of 130
	0.00,  // and has no key word: 52 of 61
	-1.85, // another column names it in full: 0 of 47
	0.00,  // key named after something else: 25 of 30
	0.00,  // another table fits better: 17 of 33
	-0.47, // other tables fit as well: 48 of 519
	-0.44, // key of its own table: 155 of 414
	0.00,  // named after its own table: 369 of 390
	-0.97, // name says nothing: 55 of 70
	-0.50, // key word of ordinary columns: 109 of 130
	-0.46, // very short abbreviation: 6 of 12
	0.00,  // key word not separated: 90 of 95
	-1.36, // different key words: 0 of 3
}
