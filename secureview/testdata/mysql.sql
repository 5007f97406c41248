-- Made from a policy. Review it, then run it as the administrator with whose rights the views are to
-- read. It can be run again.

-- The account. It is locked, with a password that is not for use (MySQL makes one up and shows it):
-- ALTER USER .. IDENTIFIED BY .. ACCOUNT UNLOCK opens it. What it could do before is taken from it.
CREATE USER IF NOT EXISTS 'agent'@'10.%'
  /*!80018 IDENTIFIED BY RANDOM PASSWORD */ /*M!100400 IDENTIFIED VIA mysql_native_password USING 'invalid' */
  ACCOUNT LOCK;
REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'agent'@'10.%';

-- What the views know of a session: they cannot name a variable, but call a function that answers it.
-- The account is granted none of these.
DROP FUNCTION IF EXISTS `app`.`qed_aesKey`;
CREATE FUNCTION `app`.`qed_aesKey`() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER
  RETURN CAST(@aesKey AS BINARY);
DROP FUNCTION IF EXISTS `app`.`qed_tenant`;
CREATE FUNCTION `app`.`qed_tenant`() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER
  RETURN CAST(@tenant AS BINARY);
DROP FUNCTION IF EXISTS `app`.`qed_customerIds`;
CREATE FUNCTION `app`.`qed_customerIds`() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER
  RETURN CAST(@customerIds AS BINARY);

-- The secure views.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW `app`.`secure_customer` AS
SELECT `id`,
  `name`,
  CAST(AES_DECRYPT(`phone`, `app`.`qed_aesKey`()) AS CHAR CHARACTER SET utf8mb4) AS `phone`
FROM (SELECT `id`, `name`, `phone`
  FROM `app`.`customer`
  WHERE `tenantId` = `app`.`qed_tenant`() AND NULLIF(CAST(`tenantId` AS BINARY), '') = `app`.`qed_tenant`()
    AND (`app`.`qed_customerIds`() IS NULL OR FIND_IN_SET(NULLIF(CAST(`id` AS BINARY), ''), `app`.`qed_customerIds`()) > 0)
  LIMIT 18446744073709551615) AS `visible`;
CREATE OR REPLACE SQL SECURITY DEFINER VIEW `app`.`secure_employee` AS
SELECT `id`,
  `name`,
  CAST(AES_DECRYPT(`ssn`, `app`.`qed_aesKey`()) AS CHAR CHARACTER SET utf8mb4) AS `ssn`,
  CAST(AES_DECRYPT(`salary`, `app`.`qed_aesKey`()) AS DECIMAL(10,2)) AS `salary`
FROM `app`.`employee`;
CREATE OR REPLACE SQL SECURITY DEFINER VIEW `app`.`secure_job` AS
SELECT `id`,
  `title`
FROM `app`.`job`;
CREATE OR REPLACE SQL SECURITY DEFINER VIEW `app`.`secure_order` AS
SELECT `id`,
  `total`
FROM `app`.`order`
WHERE FIND_IN_SET(NULLIF(CAST(`customerId` AS BINARY), ''), `app`.`qed_customerIds`()) > 0;

-- What the account may read, and nothing else.
GRANT SELECT ON TABLE `app`.`secure_customer` TO 'agent'@'10.%';
GRANT SELECT (`id`, `name`) ON TABLE `app`.`dept` TO 'agent'@'10.%';
GRANT SELECT ON TABLE `app`.`secure_employee` TO 'agent'@'10.%';
GRANT SELECT ON TABLE `app`.`secure_job` TO 'agent'@'10.%';
GRANT SELECT ON TABLE `app`.`secure_order` TO 'agent'@'10.%';
GRANT SELECT (`id`, `to``t"al`) ON TABLE `arch``i"v'e`.`inv``oi"ce` TO 'agent'@'10.%';
