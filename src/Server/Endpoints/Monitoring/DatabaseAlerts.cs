using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Etl;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Alerts;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What an operator should look at in a database, and what to do about it. Cheap: one look at what each task says of
/// itself.</summary>
internal static class DatabaseAlerts
{
    /// <summary>The alerts of an open database.</summary>
    /// <param name="server">The server that has it.</param>
    /// <param name="database">The database.</param>
    public static List<Alert> Of(ServerState server, Database database)
    {
        var alerts = new List<Alert>();
        AddDatabase(alerts, database);
        IndexAlerts.Add(
            alerts,
            database.Attached<DatabaseIndexes>(),
            server.Indexing?.Options.MaxAutoIndexes ?? IndexingLimits.MaxAutoIndexes
        );
        if (database.Attached<EtlTasks>() is not { } tasks)
            return alerts;
        var all = tasks.Summaries();
        foreach (var task in all)
            AddTask(alerts, task);
        foreach (var task in all)
            AddGaps(alerts, tasks, task);
        AddDeadLetters(alerts, tasks);
        return alerts;
    }

    private static void AddDatabase(List<Alert> alerts, Database database)
    {
        if (database.Poison is { } poison)
            alerts.Add(
                new Alert(
                    Alert.Error,
                    "storage",
                    "The database takes no writes",
                    poison.Message,
                    "See to the disk, then disable and enable the database, which recovers it.",
                    null
                )
            );
        foreach (var page in database.DamagedPages)
            alerts.Add(
                new Alert(
                    Alert.Error,
                    "storage",
                    string.Create(CultureInfo.InvariantCulture, $"Page {page.Page} of the database is damaged"),
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{page.Message}. Requests that need the page fail; it was met {page.TimesMet} times."
                    ),
                    "Documents on other pages are read and written as before. Check the disk and the memory of the machine. Make a copy "
                        + "of the folder, stop the server and run ./run check, which names every damaged page; then go back to a backup. "
                        + "POST /admin/copy copies damaged pages as they are.",
                    page.FirstMet
                )
            );
        if (database.TidyingFault is { } damage)
            alerts.Add(
                new Alert(
                    Alert.Error,
                    "storage",
                    "A page of the database is damaged",
                    $"What replaced documents leave is not removed any more: {damage.Message}",
                    "Documents on other pages are written and read as ever. Stop "
                        + "the server, see what ./run check finds, and go back to a copy.",
                    null
                )
            );
    }

    private static void AddTask(List<Alert> alerts, EtlTaskSummary task)
    {
        var advice = task.State switch
        {
            EtlTaskState.Waiting => string.Create(
                CultureInfo.InvariantCulture,
                $"It tries again by itself{(task.NextTry is { } next ? $" at {next.UtcDateTime:u}" : "")}. "
                    + $"See to the receiver; POST /etl/resume?id={task.Id} tries at once."
            ),
            EtlTaskState.Stopped when task.NeedsPosition =>
                $"Nothing was skipped. Tell the task where to go on: POST /etl/position?id={task.Id}&etag=…. Resuming it changes nothing.",
            EtlTaskState.Stopped =>
                $"Nothing was skipped. Change the task, its connection string or the receiver, then POST /etl/resume?id={task.Id}.",
            EtlTaskState.Fenced =>
                $"Another server has the task. See to it that there is one only, then POST /etl/resume?id={task.Id} where it shall run.",
            EtlTaskState.Paused when task.Reason is not null =>
                $"POST /etl/resume?id={task.Id} starts it where the original was; POST /etl/position?id={task.Id}&etag=… starts it there. "
                    + "What the original sends, or has sent since, may come a second time.",
            EtlTaskState.Paused => $"It sends nothing, also after a restart, until POST /etl/resume?id={task.Id}.",
            EtlTaskState.Faulted =>
                "An error of the server itself. Nothing was skipped. Disable and enable the task to try again, and report the message.",
            _ => null,
        };
        var severity = task.State is EtlTaskState.Waiting or EtlTaskState.Paused ? Alert.Warning : Alert.Error;
        if (advice is not null)
            alerts.Add(
                new Alert(
                    severity,
                    $"etl/{task.Id}",
                    $"The task '{task.Name}' is {task.State}",
                    task.Reason ?? "A person has ordered it.",
                    advice,
                    task.Since
                )
            );
    }

    private static void AddGaps(List<Alert> alerts, EtlTasks tasks, EtlTaskSummary task)
    {
        foreach (var gap in tasks.Gaps(task.Id))
        {
            var at = new DateTimeOffset(gap.AtTicks, TimeSpan.Zero);
            if (gap.Deletions > 0)
                alerts.Add(
                    new Alert(
                        Alert.Error,
                        $"etl/{task.Id}",
                        $"The task '{task.Name}' has missed deletions",
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $"{gap.Deletions} deletions with etags above {gap.FromEtag} and "
                                + $"up to {gap.ToEtag} were forgotten before '{gap.Consumer}' had "
                                + $"sent them: the task was too far behind, or disabled for too long."
                        ),
                        $"Compare the receiver with the database, then DELETE /etl/gaps?id={task.Id}.",
                        at
                    )
                );
            if (gap.Events > 0)
                alerts.Add(
                    new Alert(
                        Alert.Error,
                        $"etl/{task.Id}",
                        $"The task '{task.Name}' has missed events",
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $"{gap.Events} deleted events were removed from disk before '{gap.Consumer}' had read them and their deletion "
                                + $"(etags above {gap.FromEtag}, up to {gap.ToEtag}). Deleted events wait for a task for "
                                + $"Tombstones.MaxAgeInDays, and for a disabled one 24 hours."
                        ),
                        $"The events cannot be sent any more. Tell the receiver, then DELETE /etl/gaps?id={task.Id}.",
                        at
                    )
                );
        }
    }

    private static void AddDeadLetters(List<Alert> alerts, EtlTasks tasks)
    {
        if (tasks.DeadLetterCount is > 0 and var count)
            alerts.Add(
                new Alert(
                    Alert.Warning,
                    "etl/dead-letters",
                    string.Create(CultureInfo.InvariantCulture, $"{count} dead letters"),
                    "Messages that tasks could not send.",
                    "GET /etl/dead-letters tells why; POST /etl/dead-letters/retry "
                        + "sends them again, DELETE /etl/dead-letters gives them up.",
                    null
                )
            );
    }
}
