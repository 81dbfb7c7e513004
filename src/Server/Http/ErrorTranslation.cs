using System.Text.Json;
using Jackdaw.Documents.Errors;
using Jackdaw.Etl;
using Jackdaw.Etl.Configuration;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Scripting.Errors;
using Jackdaw.Search;
using Jackdaw.Server.Http.WebSockets;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Storage.Errors;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Http;

/// <summary>The one table from exceptions to answers. The clients make their own exception from <see cref="ErrorAnswer.Type"/>.</summary>
internal static class ErrorTranslation
{
    private const string Client = "Raven.Client.Exceptions.";

    private static readonly KeyValuePair<string, string>[] RetryAfter = [new("Retry-After", "1")];

    public static ErrorAnswer Translate(Exception exception) =>
        exception switch
        {
            BadRequestException or JsonException => new(StatusCodes.Status400BadRequest, Client + "BadRequestException", exception.Message),
            UnsupportedKindException => new(StatusCodes.Status501NotImplemented, "System.NotSupportedException", exception.Message),
            InvalidConfigurationException or ScriptSyntaxException => new(
                StatusCodes.Status400BadRequest,
                Client + "BadRequestException",
                exception.Message
            ),
            OtherDatabaseException => new(StatusCodes.Status412PreconditionFailed, Client + "BadRequestException", exception.Message),
            BodyTooLargeException or AnswerTooLargeException => new(
                StatusCodes.Status413PayloadTooLarge,
                Client + "BadRequestException",
                exception.Message
            ),
            UnsupportedEncodingException => new(
                StatusCodes.Status415UnsupportedMediaType,
                Client + "BadRequestException",
                exception.Message
            ),
            RouteNotFoundException => new(StatusCodes.Status404NotFound, Client + "Routing.RouteNotFoundException", exception.Message)
            {
                ClientStatus = StatusCodes.Status501NotImplemented,
            },
            MethodNotAllowedException e => new(StatusCodes.Status405MethodNotAllowed, Client + "BadRequestException", e.Message)
            {
                Headers = [new("Allow", e.Allowed)],
            },
            BulkInsertAbortedException => new(
                StatusCodes.Status400BadRequest,
                Client + "Documents.BulkInsert.BulkInsertAbortedException",
                exception.Message
            ),
            FeatureNotSupportedException => new(StatusCodes.Status501NotImplemented, "System.NotSupportedException", exception.Message),
            BadHttpRequestException e => new(e.StatusCode, Client + "BadRequestException", e.Message),
            AccessDeniedException => new(StatusCodes.Status403Forbidden, Client + "Security.AuthorizationException", exception.Message),
            CertificateException => new(StatusCodes.Status400BadRequest, Client + "BadRequestException", exception.Message),
            CertificateNotFoundException => new(StatusCodes.Status404NotFound, Client + "BadRequestException", exception.Message)
            {
                // With 404 they take a change for done.
                ClientStatus = StatusCodes.Status400BadRequest,
            },
            DatabaseNotInTopologyException e => new(
                StatusCodes.Status503ServiceUnavailable,
                Client + "Database.DatabaseDoesNotExistException",
                e.Message
            )
            {
                Headers = Missing(e.Database),
            },
            OperationException e => TranslateOperation(e),
            RepeatedRequestException e => Translate(e.InnerException!),
            QueryException e => TranslateQuery(e),
            ScriptEngineMissingException => new(StatusCodes.Status501NotImplemented, "System.NotSupportedException", exception.Message),
            TooManyIndexesException or IndexLockedException => new(
                StatusCodes.Status400BadRequest,
                Client + "BadRequestException",
                exception.Message
            ),
            IndexUnavailableException => new(
                StatusCodes.Status500InternalServerError,
                Client + "Documents.Indexes.IndexInvalidException",
                exception.Message
            ),
            QueryScriptException or QueryTooLargeException or SearchQueryException => new(
                StatusCodes.Status400BadRequest,
                Client + "InvalidQueryException",
                exception.Message
            ),
            // Not 408, 503 or 504, with which clients would ask another node.
            QueryTimeoutException => new(StatusCodes.Status500InternalServerError, "System.TimeoutException", exception.Message),
            DatabaseUnavailableException e => TranslateUnavailable(e),
            ServerEndingException => new(
                StatusCodes.Status503ServiceUnavailable,
                Client + "Database.DatabaseDisabledException",
                exception.Message
            ),
            IndexNotFoundException => new(
                StatusCodes.Status404NotFound,
                Client + "Documents.Indexes.IndexDoesNotExistException",
                exception.Message
            )
            {
                // With 404 they take the index for one that has nothing to tell.
                ClientStatus = StatusCodes.Status400BadRequest,
            },
            DatabaseExistsException => new(StatusCodes.Status409Conflict, Client + "ConcurrencyException", exception.Message),
            CopyTargetException => new(StatusCodes.Status400BadRequest, Client + "BadRequestException", exception.Message),
            InvalidDatabaseNameException => new(StatusCodes.Status400BadRequest, Client + "BadRequestException", exception.Message),
            MergerQueueFullException
            or AuditFullException
            or StagingFullException
            or TooManySocketsException
            or TooManyLiveReadersException
            or TooManySnapshotUploadsException
            or TrialsBusyException
            or ScriptEngineBusyException => new(StatusCodes.Status503ServiceUnavailable, "System.TimeoutException", exception.Message)
            {
                Headers = RetryAfter,
            },
            _ => TranslateStorage(exception),
        };

    private static ErrorAnswer TranslateOperation(OperationException exception) =>
        exception switch
        {
            ConcurrencyException e => new(StatusCodes.Status409Conflict, Client + "ConcurrencyException", e.Message)
            {
                Fields =
                [
                    new("Id", e.Id),
                    new("ExpectedChangeVector", e.ExpectedChangeVector),
                    new("ActualChangeVector", e.ActualChangeVector),
                ],
            },
            DocumentCollectionMismatchException => new(
                StatusCodes.Status500InternalServerError,
                Client + "Documents.DocumentCollectionMismatchException",
                exception.Message
            ),
            PatchException e => TranslatePatch(e),
            // An error of the server's disk, not of the request: also told in the log.
            DamagedPageException => Unexpected(exception),
            OutOfDiskException => new(StatusCodes.Status507InsufficientStorage, "System.IO.IOException", exception.Message),
            TooLargeException => new(StatusCodes.Status413PayloadTooLarge, Client + "BadRequestException", exception.Message),
            _ => new(StatusCodes.Status400BadRequest, Client + "BadRequestException", exception.Message),
        };

    private static ErrorAnswer TranslatePatch(PatchException exception) =>
        exception.Cause switch
        {
            ScriptSyntaxException => new(
                StatusCodes.Status500InternalServerError,
                Client + "Documents.Patching.JavaScriptParseException",
                exception.Message
            ),
            ScriptEngineMissingException => new(StatusCodes.Status501NotImplemented, "System.NotSupportedException", exception.Message),
            ScriptEngineBusyException => new(StatusCodes.Status503ServiceUnavailable, "System.TimeoutException", exception.Message)
            {
                Headers = RetryAfter,
            },
            _ => new(StatusCodes.Status500InternalServerError, Client + "Documents.Patching.JavaScriptException", exception.Message),
        };

    private static ErrorAnswer TranslateQuery(QueryException exception) =>
        exception switch
        {
            IndexDoesNotExistException => new(
                StatusCodes.Status404NotFound,
                Client + "Documents.Indexes.IndexDoesNotExistException",
                exception.Message
            )
            {
                ClientStatus = StatusCodes.Status400BadRequest,
            },
            QueryNotSupportedException => new(StatusCodes.Status501NotImplemented, "System.NotSupportedException", exception.Message),
            _ => new(StatusCodes.Status400BadRequest, Client + "InvalidQueryException", exception.Message),
        };

    private static ErrorAnswer TranslateUnavailable(DatabaseUnavailableException exception) =>
        exception switch
        {
            DatabaseDoesNotExistException => new(
                StatusCodes.Status404NotFound,
                Client + "Database.DatabaseDoesNotExistException",
                exception.Message
            )
            {
                // With this status they look for the header.
                ClientStatus = StatusCodes.Status503ServiceUnavailable,
                Headers = Missing(exception.Database),
            },
            DatabaseDisabledException => new(
                StatusCodes.Status503ServiceUnavailable,
                Client + "Database.DatabaseDisabledException",
                exception.Message
            ),
            _ => new(StatusCodes.Status500InternalServerError, Client + "Database.DatabaseLoadFailureException", exception.Message),
        };

    private static ErrorAnswer TranslateStorage(Exception exception) =>
        exception switch
        {
            LimitExceededException => new(StatusCodes.Status400BadRequest, Client + "BadRequestException", exception.Message),
            DiskFullException => new(StatusCodes.Status507InsufficientStorage, "System.IO.IOException", exception.Message),
            // What was asked for may or may not have happened: not a status that makes a client repeat it on its own.
            CommitOutcomeUnknownException or EnvironmentPoisonedException or StorageException => Unexpected(exception),
            _ => Unexpected(exception),
        };

    private static ErrorAnswer Unexpected(Exception exception) =>
        new(StatusCodes.Status500InternalServerError, exception.GetType().FullName ?? exception.GetType().Name, exception.Message)
        {
            IsUnexpected = true,
        };

    /// <summary>Header values are ASCII; a name is not always.</summary>
    private static KeyValuePair<string, string>[] Missing(string database) => [new("Database-Missing", Uri.EscapeDataString(database))];
}
