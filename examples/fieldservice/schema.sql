-- The company's places, people and lookups.

CREATE TABLE region (
  id   INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE branch (
  id        INTEGER PRIMARY KEY,
  regionId  INTEGER NOT NULL REFERENCES region (id),
  managerId INTEGER, -- employee.id, not declared: the two tables would refer to each other
  city      TEXT NOT NULL UNIQUE,
  openedOn  DATE NOT NULL
);

CREATE TABLE department (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE jobTitle (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  isField BOOLEAN NOT NULL CHECK (isField IN (0, 1))
);

CREATE TABLE "user" (
  id           INTEGER PRIMARY KEY,
  username     TEXT NOT NULL UNIQUE,
  displayName  TEXT NOT NULL,
  role         TEXT NOT NULL,
  email        TEXT NOT NULL,
  passwordHash TEXT NOT NULL,
  isActive     BOOLEAN NOT NULL CHECK (isActive IN (0, 1)),
  lastLoginAt  DATETIME
);

CREATE TABLE employee (
  id           INTEGER PRIMARY KEY,
  userId       INTEGER NOT NULL UNIQUE REFERENCES "user" (id),
  branchId     INTEGER NOT NULL REFERENCES branch (id),
  departmentId INTEGER NOT NULL REFERENCES department (id),
  jobTitleId   INTEGER NOT NULL REFERENCES jobTitle (id),
  managerId    INTEGER REFERENCES employee (id),
  firstName    TEXT NOT NULL,
  lastName     TEXT NOT NULL,
  email        TEXT NOT NULL,
  phone        TEXT,
  ssn          TEXT NOT NULL,
  salary       TEXT NOT NULL,
  hiredOn      DATE NOT NULL,
  leftOn       DATE,
  isActive     BOOLEAN NOT NULL CHECK (isActive IN (0, 1))
);

CREATE TABLE skill (
  id              INTEGER PRIMARY KEY,
  name            TEXT NOT NULL UNIQUE,
  "group"         TEXT NOT NULL,
  requiresLicence BOOLEAN NOT NULL CHECK (requiresLicence IN (0, 1))
);

CREATE TABLE employeeSkill (
  employeeId  INTEGER NOT NULL REFERENCES employee (id),
  skillId     INTEGER NOT NULL REFERENCES skill (id),
  level       INTEGER NOT NULL CHECK (level BETWEEN 1 AND 5),
  certifiedOn DATE NOT NULL,
  expiresOn   DATE,
  PRIMARY KEY (employeeId, skillId)
);

CREATE TABLE timeOff (
  id         INTEGER PRIMARY KEY,
  employeeId INTEGER NOT NULL, -- employee.id, not declared
  approvedBy INTEGER,          -- employee.id, not declared
  reason     TEXT NOT NULL,
  startsOn   DATE NOT NULL,
  endsOn     DATE NOT NULL
);

CREATE TABLE vehicle (
  id        INTEGER PRIMARY KEY,
  branchId  INTEGER NOT NULL REFERENCES branch (id),
  plate     TEXT NOT NULL UNIQUE,
  make      TEXT NOT NULL,
  model     TEXT NOT NULL,
  mileageKm INTEGER NOT NULL
);

CREATE TABLE vehicleAssignment (
  vehicleId  INTEGER NOT NULL REFERENCES vehicle (id),
  employeeId INTEGER NOT NULL REFERENCES employee (id),
  startsOn   DATE NOT NULL,
  endsOn     DATE,
  PRIMARY KEY (vehicleId, startsOn)
);

-- Customers, their sites and what stands there.

CREATE TABLE customer (
  id               INTEGER PRIMARY KEY,
  accountManagerId INTEGER NOT NULL, -- employee.id, not declared
  name             TEXT NOT NULL UNIQUE,
  industry         TEXT NOT NULL,
  customerSince    DATE NOT NULL,
  isActive         BOOLEAN NOT NULL CHECK (isActive IN (0, 1)),
  taxId            TEXT NOT NULL,
  bankAccount      TEXT
);

CREATE TABLE customerLocation (
  id         INTEGER PRIMARY KEY,
  customerId INTEGER NOT NULL REFERENCES customer (id),
  regionId   INTEGER NOT NULL REFERENCES region (id),
  name       TEXT NOT NULL,
  city       TEXT NOT NULL,
  street     TEXT NOT NULL,
  accessCode TEXT,
  isHeadOffice BOOLEAN NOT NULL CHECK (isHeadOffice IN (0, 1))
);

CREATE TABLE customerContact (
  id         INTEGER PRIMARY KEY,
  customerId INTEGER NOT NULL REFERENCES customer (id),
  firstName  TEXT NOT NULL,
  lastName   TEXT NOT NULL,
  position   TEXT NOT NULL,
  email      TEXT NOT NULL,
  phone      TEXT,
  isPrimary  BOOLEAN NOT NULL CHECK (isPrimary IN (0, 1))
);

CREATE TABLE serviceLocation (
  id                 INTEGER PRIMARY KEY,
  customerLocationId INTEGER NOT NULL REFERENCES customerLocation (id),
  name               TEXT NOT NULL,
  floor              INTEGER
);

CREATE TABLE manufacturer (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  country TEXT NOT NULL
);

CREATE TABLE equipmentModel (
  id             INTEGER PRIMARY KEY,
  manufacturerId INTEGER NOT NULL REFERENCES manufacturer (id),
  name           TEXT NOT NULL UNIQUE,
  kind           TEXT NOT NULL
);

CREATE TABLE equipment (
  id                INTEGER PRIMARY KEY,
  serviceLocationId INTEGER NOT NULL REFERENCES serviceLocation (id),
  equipmentModelId  INTEGER NOT NULL REFERENCES equipmentModel (id),
  serialNumber      TEXT NOT NULL UNIQUE,
  installedOn       DATE NOT NULL,
  warrantyEndsOn    DATE
);

CREATE TABLE serviceLevel (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  responseHours INTEGER NOT NULL
);

CREATE TABLE contract (
  id             INTEGER PRIMARY KEY,
  customerId     INTEGER NOT NULL REFERENCES customer (id),
  serviceLevelId INTEGER NOT NULL REFERENCES serviceLevel (id),
  number         TEXT NOT NULL UNIQUE,
  startsOn       DATE NOT NULL,
  endsOn         DATE
);

CREATE TABLE contractLine (
  contractId    INTEGER NOT NULL REFERENCES contract (id),
  lineNo        INTEGER NOT NULL,
  equipmentId   INTEGER NOT NULL REFERENCES equipment (id),
  visitsPerYear INTEGER NOT NULL,
  monthlyFee    DECIMAL(10, 2) NOT NULL,
  PRIMARY KEY (contractId, lineNo)
);

-- Work orders, the crews that carry them out and the hours they log.

CREATE TABLE priority (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  "rank" INTEGER NOT NULL UNIQUE
);

CREATE TABLE workOrderStatus (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE,
  isOpen BOOLEAN NOT NULL CHECK (isOpen IN (0, 1))
);

CREATE TABLE workOrderType (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE workOrder (
  id                 INTEGER PRIMARY KEY,
  number             TEXT NOT NULL UNIQUE,
  title              TEXT NOT NULL,
  customerId         INTEGER NOT NULL REFERENCES customer (id),
  customerLocationId INTEGER NOT NULL REFERENCES customerLocation (id),
  workOrderTypeId    INTEGER NOT NULL REFERENCES workOrderType (id),
  workOrderStatusId  INTEGER NOT NULL REFERENCES workOrderStatus (id),
  priorityId         INTEGER NOT NULL REFERENCES priority (id),
  createdBy          INTEGER NOT NULL REFERENCES employee (id),
  assignedTo         INTEGER REFERENCES employee (id),
  createdOn          DATE NOT NULL,
  dueOn              DATE NOT NULL,
  completedOn        DATE,
  estimatedHours     DECIMAL(6, 2),
  accessInstructions TEXT
);

CREATE TABLE workOrderEquipment (
  workOrderId INTEGER NOT NULL REFERENCES workOrder (id),
  equipmentId INTEGER NOT NULL REFERENCES equipment (id),
  PRIMARY KEY (workOrderId, equipmentId)
);

CREATE TABLE workOrderStatusChange (
  id           INTEGER PRIMARY KEY,
  workOrderId  INTEGER NOT NULL REFERENCES workOrder (id),
  fromStatusId INTEGER REFERENCES workOrderStatus (id),
  toStatusId   INTEGER NOT NULL REFERENCES workOrderStatus (id),
  changedBy    INTEGER NOT NULL, -- user.id, not declared
  changedAt    DATETIME NOT NULL
);

CREATE TABLE contractVisit (
  id          INTEGER PRIMARY KEY,
  contractId  INTEGER NOT NULL,
  lineNo      INTEGER NOT NULL,
  workOrderId INTEGER REFERENCES workOrder (id),
  plannedOn   DATE NOT NULL,
  FOREIGN KEY (contractId, lineNo) REFERENCES contractLine (contractId, lineNo)
);

CREATE TABLE crew (
  id          INTEGER PRIMARY KEY,
  workOrderId INTEGER NOT NULL REFERENCES workOrder (id),
  name        TEXT NOT NULL,
  createdBy   INTEGER NOT NULL, -- user.id, not declared
  createdOn   DATE NOT NULL
);

CREATE TABLE employeeCrew (
  employeeId INTEGER NOT NULL REFERENCES employee (id),
  crewId     INTEGER NOT NULL REFERENCES crew (id),
  isLead     BOOLEAN NOT NULL CHECK (isLead IN (0, 1)),
  PRIMARY KEY (employeeId, crewId)
);

CREATE TABLE appointment (
  id          INTEGER PRIMARY KEY,
  workOrderId INTEGER NOT NULL REFERENCES workOrder (id),
  crewId      INTEGER REFERENCES crew (id),
  startsAt    DATETIME NOT NULL,
  endsAt      DATETIME NOT NULL
);

CREATE TABLE workTime (
  id          INTEGER PRIMARY KEY,
  employeeId  INTEGER NOT NULL, -- employee.id, not declared
  workOrderId INTEGER NOT NULL, -- workOrder.id, not declared
  workedOn    DATE NOT NULL,
  hours       DECIMAL(4, 2) NOT NULL CHECK (hours > 0),
  isOvertime  BOOLEAN NOT NULL CHECK (isOvertime IN (0, 1)),
  remark      TEXT
);

CREATE TABLE customerFeedback (
  id          INTEGER PRIMARY KEY,
  workOrderId INTEGER NOT NULL UNIQUE, -- workOrder.id, not declared
  rating      INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  comment     TEXT,
  receivedOn  DATE NOT NULL
);

-- Inspections: a template has questions, an inspection has one answer to each.

CREATE TABLE inspectionTemplate (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE inspectionQuestion (
  id                   INTEGER PRIMARY KEY,
  inspectionTemplateId INTEGER NOT NULL REFERENCES inspectionTemplate (id),
  position             INTEGER NOT NULL,
  text                 TEXT NOT NULL,
  isCritical           BOOLEAN NOT NULL CHECK (isCritical IN (0, 1)),
  UNIQUE (inspectionTemplateId, position)
);

CREATE TABLE inspection (
  id                   INTEGER PRIMARY KEY,
  workOrderId          INTEGER NOT NULL REFERENCES workOrder (id),
  inspectionTemplateId INTEGER NOT NULL REFERENCES inspectionTemplate (id),
  inspectorId          INTEGER NOT NULL, -- employee.id, not declared
  inspectedOn          DATE NOT NULL
);

CREATE TABLE inspectionAnswer (
  id                   INTEGER PRIMARY KEY,
  inspectionId         INTEGER NOT NULL REFERENCES inspection (id),
  inspectionQuestionId INTEGER NOT NULL REFERENCES inspectionQuestion (id),
  result               TEXT NOT NULL CHECK (result IN ('pass', 'fail', 'n/a')),
  comment              TEXT,
  UNIQUE (inspectionId, inspectionQuestionId)
);

CREATE TABLE correctiveAction (
  id                 INTEGER PRIMARY KEY,
  inspectionAnswerId INTEGER NOT NULL REFERENCES inspectionAnswer (id),
  assignedTo         INTEGER, -- employee.id, not declared
  dueOn              DATE NOT NULL,
  closedOn           DATE
);

-- Parts, stock and purchasing.

CREATE TABLE supplier (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  country TEXT NOT NULL
);

CREATE TABLE partCategory (
  id       INTEGER PRIMARY KEY,
  parentId INTEGER REFERENCES partCategory (id),
  name     TEXT NOT NULL UNIQUE
);

CREATE TABLE part (
  id             INTEGER PRIMARY KEY,
  partCategoryId INTEGER NOT NULL REFERENCES partCategory (id),
  supplierId     INTEGER NOT NULL REFERENCES supplier (id),
  sku            TEXT NOT NULL UNIQUE,
  name           TEXT NOT NULL,
  unitPrice      DECIMAL(10, 2) NOT NULL
);

CREATE TABLE warehouse (
  id       INTEGER PRIMARY KEY,
  branchId INTEGER NOT NULL REFERENCES branch (id),
  name     TEXT NOT NULL UNIQUE
);

CREATE TABLE stock (
  warehouseId  INTEGER NOT NULL REFERENCES warehouse (id),
  partId       INTEGER NOT NULL REFERENCES part (id),
  quantity     INTEGER NOT NULL,
  reorderLevel INTEGER NOT NULL,
  PRIMARY KEY (warehouseId, partId)
);

CREATE TABLE stockCount (
  id          INTEGER PRIMARY KEY,
  warehouseId INTEGER NOT NULL, -- with partId: stock, not declared
  partId      INTEGER NOT NULL,
  countedOn   DATE NOT NULL,
  counted     INTEGER NOT NULL
);

CREATE TABLE partUsage (
  id          INTEGER PRIMARY KEY,
  workOrderId INTEGER NOT NULL, -- workOrder.id, not declared
  warehouseId INTEGER NOT NULL,
  partId      INTEGER NOT NULL,
  quantity    INTEGER NOT NULL CHECK (quantity > 0),
  usedOn      DATE NOT NULL,
  FOREIGN KEY (warehouseId, partId) REFERENCES stock (warehouseId, partId)
);

CREATE TABLE "order" (
  id          INTEGER PRIMARY KEY,
  supplierId  INTEGER NOT NULL REFERENCES supplier (id),
  warehouseId INTEGER NOT NULL REFERENCES warehouse (id),
  orderedOn   DATE NOT NULL,
  expectedOn  DATE NOT NULL,
  receivedOn  DATE
);

CREATE TABLE orderLine (
  orderId  INTEGER NOT NULL REFERENCES "order" (id),
  lineNo   INTEGER NOT NULL,
  partId   INTEGER NOT NULL REFERENCES part (id),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  unitCost DECIMAL(10, 2) NOT NULL,
  PRIMARY KEY (orderId, lineNo)
);

-- Quotes, invoices and payments.

CREATE TABLE taxRate (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  percent DECIMAL(4, 1) NOT NULL
);

CREATE TABLE paymentMethod (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE quote (
  id          INTEGER PRIMARY KEY,
  customerId  INTEGER NOT NULL REFERENCES customer (id),
  workOrderId INTEGER, -- workOrder.id once the quote is accepted, not declared
  number      TEXT NOT NULL UNIQUE,
  quotedOn    DATE NOT NULL,
  validUntil  DATE NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('open', 'accepted', 'declined'))
);

CREATE TABLE quoteLine (
  quoteId     INTEGER NOT NULL REFERENCES quote (id),
  lineNo      INTEGER NOT NULL,
  description TEXT NOT NULL,
  amount      DECIMAL(10, 2) NOT NULL,
  PRIMARY KEY (quoteId, lineNo)
);

CREATE TABLE invoice (
  id                 INTEGER PRIMARY KEY,
  number             TEXT NOT NULL UNIQUE,
  customerId         INTEGER NOT NULL REFERENCES customer (id),
  workOrderId        INTEGER NOT NULL REFERENCES workOrder (id),
  billingLocationId  INTEGER NOT NULL REFERENCES customerLocation (id),
  shippingLocationId INTEGER NOT NULL REFERENCES customerLocation (id),
  taxRateId          INTEGER NOT NULL REFERENCES taxRate (id),
  issuedOn           DATE NOT NULL,
  dueOn              DATE NOT NULL,
  netAmount          DECIMAL(10, 2) NOT NULL,
  taxAmount          DECIMAL(10, 2) NOT NULL,
  total              DECIMAL(10, 2) NOT NULL
);

CREATE TABLE invoiceLine (
  invoiceId   INTEGER NOT NULL REFERENCES invoice (id),
  lineNo      INTEGER NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('labour', 'part', 'travel')),
  description TEXT NOT NULL,
  partId      INTEGER REFERENCES part (id),
  quantity    DECIMAL(8, 2) NOT NULL,
  unitPrice   DECIMAL(10, 2) NOT NULL,
  amount      DECIMAL(10, 2) NOT NULL,
  PRIMARY KEY (invoiceId, lineNo)
);

CREATE TABLE payment (
  id              INTEGER PRIMARY KEY,
  invoiceId       INTEGER NOT NULL REFERENCES invoice (id),
  paymentMethodId INTEGER NOT NULL REFERENCES paymentMethod (id),
  paidOn          DATE NOT NULL,
  amount          DECIMAL(10, 2) NOT NULL
);

-- Notes and files hang on anything: entityType names the table, entityId the row.

CREATE TABLE note (
  id         INTEGER PRIMARY KEY,
  authorId   INTEGER NOT NULL, -- user.id, not declared
  entityType TEXT NOT NULL,
  entityId   INTEGER NOT NULL,
  body       TEXT NOT NULL,
  createdAt  DATETIME NOT NULL
);

CREATE TABLE attachment (
  id         INTEGER PRIMARY KEY,
  entityType TEXT NOT NULL,
  entityId   INTEGER NOT NULL,
  fileName   TEXT NOT NULL,
  sizeBytes  INTEGER NOT NULL
);

-- What may be read of the six sensitive tables.

CREATE VIEW secure_user AS
SELECT id, displayName, role, isActive, lastLoginAt
FROM "user";

CREATE VIEW secure_employee AS
SELECT id, userId, branchId, departmentId, jobTitleId, managerId, firstName, lastName, hiredOn, leftOn, isActive
FROM employee;

CREATE VIEW secure_workorder AS
SELECT id, number, title, customerId, customerLocationId, workOrderTypeId, workOrderStatusId, priorityId,
       createdBy, assignedTo, createdOn, dueOn, completedOn, estimatedHours
FROM workOrder;

CREATE VIEW secure_customer AS
SELECT id, accountManagerId, name, industry, customerSince, isActive
FROM customer;

CREATE VIEW secure_customerlocation AS
SELECT id, customerId, regionId, name, city, isHeadOffice
FROM customerLocation;

CREATE VIEW secure_customercontact AS
SELECT id, customerId, firstName, lastName, position, isPrimary
FROM customerContact;
