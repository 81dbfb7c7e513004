using System.Runtime.Versioning;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Server.Hosting;
using Jackdaw.Server.Hosting.Certificates;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Commands that change the data folder of a stopped server leave a line in its audit log.</summary>
[SupportedOSPlatform("linux")]
public sealed class CommandAuditTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-command-audit-").FullName;

    private string Data => Path.Combine(_folder, "data");

    private string Log => Path.Combine(_folder, "log");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Each_change_of_certificates_has_a_line_with_the_user_of_the_machine()
    {
        await CertificatesAsync("admin", "--name", "ops", "--out", Path.Combine(_folder, "ops"));
        await CertificatesAsync("client", "--name", "shop", "--out", Path.Combine(_folder, "shop"), "--database", "shop=Read");
        await CertificatesAsync("edit", "shop", "--database", "shop=None,audit=Admin", "--password", "not to be told");
        await CertificatesAsync("delete", "shop", "--yes");
        await CertificatesAsync("list");

        var lines = Lines(Log);
        Assert.Equal(
            ["certificates store", "certificates store", "certificates edit", "certificates delete"],
            lines.Select(line => line.GetProperty("Command").GetString())
        );
        Assert.All(lines, line => Assert.StartsWith(Environment.UserName, line.GetProperty("User").GetString()));
        Assert.All(lines, line => Assert.Equal("Act", line.GetProperty("Kind").GetString()));
        Assert.EndsWith(": ops, ClusterAdmin", lines[0].GetProperty("Subject").GetString());
        Assert.EndsWith(": shop, ValidUser, shop=Read", lines[1].GetProperty("Subject").GetString());
        Assert.EndsWith(": shop=None, audit=Admin", lines[2].GetProperty("Subject").GetString());
        Assert.DoesNotContain("not to be told", string.Join("", lines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_new_history_has_a_line_and_without_the_setting_it_is_in_the_data_folder()
    {
        await using (var databases = Databases.Open(new DatabasesOptions { DataDir = Data }))
            await databases.CreateAsync("shop", default);

        Assert.Equal(CommandLine.Success, await NewHistoryCommand.RunAsync(["shop", $"--DataDir={Data}"], TextWriter.Null));
        Assert.Equal(CommandLine.Failure, await NewHistoryCommand.RunAsync(["ship", $"--DataDir={Data}"], TextWriter.Null));

        var lines = Lines(Path.Combine(Data, "Audit"));
        Assert.Equal(["shop", "ship"], lines.Select(line => line.GetProperty("Subject").GetString()));
        Assert.False(lines[0].TryGetProperty("Reason", out _));
        Assert.True(lines[1].TryGetProperty("Reason", out _));
        // The folder is no obstacle to the next start.
        await using var again = Databases.Open(new DatabasesOptions { DataDir = Data });
        Assert.Single(again.Get("shop").Ancestors);
    }

    [Fact]
    public async Task A_command_whose_line_cannot_be_written_changes_nothing()
    {
        await using (var databases = Databases.Open(new DatabasesOptions { DataDir = Data }))
            await databases.CreateAsync("shop", default);
        await File.WriteAllTextAsync(Log, "a file where the folder should be");
        var settings = new[] { $"--DataDir={Data}", $"--Security.AuditLog.FolderPath={Log}" };

        var refusal = await Assert.ThrowsAsync<IOException>(() => NewHistoryCommand.RunAsync(["shop", .. settings], TextWriter.Null));
        await Assert.ThrowsAsync<IOException>(() => CertificatesAsync("admin", "--name", "ops", "--out", Path.Combine(_folder, "ops")));

        Assert.Contains("nothing was changed", refusal.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(_folder, "ops.pfx")));
        await using var again = Databases.Open(new DatabasesOptions { DataDir = Data });
        Assert.Empty(again.Get("shop").Ancestors);
    }

    private async Task CertificatesAsync(params string[] words) =>
        await CertificatesCommand.RunAsync(
            [.. words, $"--DataDir={Data}", $"--Security.AuditLog.FolderPath={Log}"],
            TextReader.Null,
            TextWriter.Null
        );

    private static List<JsonElement> Lines(string folder) =>
        [.. Directory.GetFiles(folder).Order().SelectMany(File.ReadAllLines).Select(line => JsonDocument.Parse(line).RootElement)];
}
