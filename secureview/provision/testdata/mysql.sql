-- Generated from a policy. Review this script, then run it as the administrator who is to own the
-- views. It can be run again.

-- The account. It is locked, and its password is not for use (MySQL generates one and shows it):
-- ALTER USER .. IDENTIFIED BY .. ACCOUNT UNLOCK opens it. All rights that it had are revoked.
CREATE USER IF NOT EXISTS 'agent'@'10.%'
  /*!80018 IDENTIFIED BY RANDOM PASSWORD */ /*M!100400 IDENTIFIED VIA mysql_native_password USING 'invalid' */
  ACCOUNT LOCK;
REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'agent'@'10.%';

-- The functions that return session settings to the views: a view cannot refer to a variable. The
-- account may call none of them.
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
FROM (SELECT `id`, `total`
  FROM `app`.`order`
  WHERE FIND_IN_SET(NULLIF(CAST(`customerId` AS BINARY), ''), `app`.`qed_customerIds`()) > 0
  LIMIT 18446744073709551615) AS `visible`;

-- What the account may read, and nothing else.
GRANT SELECT ON TABLE `app`.`secure_customer` TO 'agent'@'10.%';
GRANT SELECT (`id`, `name`) ON TABLE `app`.`dept` TO 'agent'@'10.%';
GRANT SELECT ON TABLE `app`.`secure_employee` TO 'agent'@'10.%';
GRANT SELECT ON TABLE `app`.`secure_job` TO 'agent'@'10.%';
GRANT SELECT ON TABLE `app`.`secure_order` TO 'agent'@'10.%';
GRANT SELECT (`id`, `to``t"al`) ON TABLE `arch``i"v'e`.`inv``oi"ce` TO 'agent'@'10.%';
