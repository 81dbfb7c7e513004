using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.Persistence.Jackdaw.Query;
using Akka.Persistence.Query;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Hosting;

/// <summary>Settings that cannot be used, and those that the documentation shows.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class SettingsTests(SharedServer server)
{
    private const string Journal = "akka.persistence.journal.jackdaw";
    private const string SnapshotStore = "akka.persistence.snapshot-store.jackdaw";

    [Fact]
    public async Task A_certificate_file_that_is_missing_fails_calls_with_its_name_and_is_enough_when_it_appears()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-certificate-").FullName;
        var file = Path.Combine(folder, "client.pfx");
        await using var host = new ActorHost(server.NewConfiguration($"{Journal}.certificate-path = \"{file}\""));

        AssertNames($"{Journal}.certificate-path", file, await ReplayAsync(host.System));
        var health = await Persistence.Instance.Apply(host.System).CheckJournalHealthAsync(Journal, default);
        Assert.Equal(PersistenceHealthStatus.Unhealthy, health.Status);
        Assert.Contains(file, health.Description, StringComparison.Ordinal);
        AssertNames(
            $"{Journal}.certificate-path",
            file,
            Assert.ThrowsAny<Exception>(() =>
            {
                host.System.ReadJournalFor<JackdawReadJournal>(JackdawReadJournal.Identifier);
            })
        );

        await File.WriteAllBytesAsync(file, NewCertificate());
        Assert.Equal(1, (await host.Recorder("one").Ask<Written>(new Write("first"), Eventually.Patience)).Number);
        await Eventually.IsAsync(async () =>
            (await Persistence.Instance.Apply(host.System).CheckJournalHealthAsync(Journal, default)).Status
            == PersistenceHealthStatus.Healthy
        );
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task A_certificate_of_the_snapshot_store_that_cannot_be_opened_is_told_by_its_health()
    {
        var file = Path.GetTempFileName();
        await using var host = new ActorHost(server.NewConfiguration($"{SnapshotStore}.certificate-path = \"{file}\""));
        var health = await Persistence.Instance.Apply(host.System).CheckSnapshotStoreHealthAsync(SnapshotStore, default);
        Assert.Equal(PersistenceHealthStatus.Unhealthy, health.Status);
        Assert.Contains($"{SnapshotStore}.certificate-path names the file '{file}'", health.Description, StringComparison.Ordinal);
        File.Delete(file);
    }

    [Theory]
    [InlineData("url = \"localhost\"", $"{Journal}.url is 'localhost'")]
    [InlineData("database = \"\"", $"{Journal}.database is missing")]
    [InlineData("max-append-requests = 0", $"{Journal}: MaxAppendRequests must be at least 1.")]
    [InlineData("repeat-for = 0s", $"{Journal}: RepeatFor must be above zero")]
    [InlineData("max-joined-events = many", $"A setting of {Journal} cannot be read")]
    public async Task A_setting_that_makes_no_sense_fails_calls_at_once_and_is_named(string setting, string message)
    {
        await using var host = new ActorHost(server.NewConfiguration($"{Journal}.{setting}"));
        Assert.Contains(message, (await ReplayAsync(host.System)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_block_that_the_documentation_shows_is_enough()
    {
        var text = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "actors.md"));
        var from = text.IndexOf("akka.persistence {", StringComparison.Ordinal);
        var block = text[from..text.IndexOf("```", from, StringComparison.Ordinal)]
            .Replace("http://localhost:8080", server.Url, StringComparison.Ordinal)
            .Replace("\"bank\"", $"\"{server.NewDatabase()}\"", StringComparison.Ordinal);
        await using var host = new ActorHost(ConfigurationFactory.ParseString(block));
        Assert.Equal(1, (await host.Recorder("one").Ask<Written>(new Write("first"), Eventually.Patience)).Number);
        Assert.Equal(["first"], (await host.RecoverAsync("one")).All);
    }

    private static void AssertNames(string setting, string file, Exception error)
    {
        Assert.Contains(setting, error.ToString(), StringComparison.Ordinal);
        Assert.Contains(file, error.ToString(), StringComparison.Ordinal);
    }

    /// <summary>Replays an id of which nothing is known, and gives the error.</summary>
    private static async Task<Exception> ReplayAsync(ActorSystem system)
    {
        using var inbox = Inbox.Create(system);
        Persistence
            .Instance.Apply(system)
            .JournalFor("")
            .Tell(new ReplayMessages(1, long.MaxValue, 10, "x", inbox.Receiver), inbox.Receiver);
        return Assert.IsType<ReplayMessagesFailure>(await inbox.ReceiveAsync(Eventually.Patience)).Cause;
    }

    private static byte[] NewCertificate()
    {
        using var key = ECDsa.Create();
        var request = new CertificateRequest("CN=actors", key, HashAlgorithmName.SHA256);
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        return certificate.Export(X509ContentType.Pfx);
    }
}
