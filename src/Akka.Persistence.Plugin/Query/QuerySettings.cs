using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>What a read journal's section says.</summary>
/// <param name="JournalPath">The section of the journal whose events it reads, and whose event adapters apply.</param>
/// <param name="Journal">That section.</param>
/// <param name="PageSize">Events or ids that one request asks for at most.</param>
/// <param name="RefreshInterval">How long a live query waits when nothing wakes it.</param>
internal sealed record QuerySettings(string JournalPath, Config Journal, int PageSize, TimeSpan RefreshInterval)
{
    public static QuerySettings Read(ActorSystem system, Config config)
    {
        var path = config.GetString("write-plugin", "");
        if (string.IsNullOrEmpty(path))
            path = system.Settings.Config.GetString("akka.persistence.journal.plugin", "");
        var pageSize = config.GetInt("max-buffer-size", 500);
        if (pageSize < 1)
            throw new ConfigurationException($"max-buffer-size of a Jackdaw read journal is {pageSize}: it must be at least 1.");
        return new QuerySettings(path, Section(system, path), pageSize, config.GetTimeSpan("refresh-interval", TimeSpan.FromSeconds(3)));
    }

    private static Config Section(ActorSystem system, string path) =>
        path.Length > 0 && system.Settings.Config.HasPath(path)
            ? JackdawPersistence.Journal(system.Settings.Config.GetConfig(path))
            : throw new ConfigurationException($"The journal '{path}' that a Jackdaw read journal reads (write-plugin) is not configured.");
}
