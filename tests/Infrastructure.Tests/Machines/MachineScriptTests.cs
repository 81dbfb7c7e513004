using System.Security.Cryptography;
using System.Text.Json;
using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Machines;

/// <summary>The scripts of the server's machine, with stand-ins for the programs that reach Azure and systemd.</summary>
public sealed class MachineScriptTests : IDisposable
{
    private static readonly Lazy<string> s_group = new(() => Command.MustAsync("id", ["-g"]).GetAwaiter().GetResult().Trim());

    private readonly Folder _folder = new();

    public MachineScriptTests()
    {
        foreach (var folder in new[] { "certificates", "root", "units", "scripts" })
            Directory.CreateDirectory(_folder.At(folder));
        File.WriteAllText(
            _folder.At("azure"),
            "IDENTITY_CLIENT_ID=client\nVAULT_URI=https://vault.example/\nCERTIFICATE_NAME=server\nPACKAGES_URI=https://packages.example/server\n"
        );
        File.WriteAllText(_folder.At("ready"), "");
    }

    public void Dispose() => _folder.Dispose();

    [ProgramFact("jq")]
    public async Task The_certificate_is_fetched_by_the_machines_identity_and_replaced_only_when_it_changed()
    {
        WriteSecret("first");
        await MustRunAsync("jackdaw-certificate");
        var certificate = _folder.At("certificates", "server.pfx");
        Assert.Equal("first", await File.ReadAllTextAsync(certificate));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead, File.GetUnixFileMode(certificate));
        Assert.Contains("https://vault.example/secrets/server?api-version=7.4", await File.ReadAllLinesAsync(_folder.At("urls")));

        File.SetLastWriteTimeUtc(certificate, DateTime.UnixEpoch);
        await MustRunAsync("jackdaw-certificate");
        Assert.Equal(DateTime.UnixEpoch, File.GetLastWriteTimeUtc(certificate));

        WriteSecret("second");
        await MustRunAsync("jackdaw-certificate");
        Assert.Equal("second", await File.ReadAllTextAsync(certificate));
    }

    [ProgramFact("jq")]
    public async Task A_vault_that_refuses_or_is_empty_leaves_the_certificate_as_it_is()
    {
        WriteSecret("first");
        await MustRunAsync("jackdaw-certificate");
        File.Delete(_folder.At("secret"));
        Assert.NotEqual(0, (await RunAsync("jackdaw-certificate")).ExitCode);
        WriteSecret("");
        Assert.NotEqual(0, (await RunAsync("jackdaw-certificate")).ExitCode);
        Assert.Equal("first", await File.ReadAllTextAsync(_folder.At("certificates", "server.pfx")));
    }

    [ProgramFact("jq")]
    public async Task A_package_is_installed_and_one_that_does_not_get_ready_gives_way_to_the_old_one()
    {
        var first = await PackAsync("1", isReady: true);
        await MustRunAsync("jackdaw-update", first);
        Assert.Equal("1", await File.ReadAllTextAsync(_folder.At("root", "current", "Jackdaw.Server")));
        Assert.True(File.Exists(_folder.At("units", "jackdaw.service")) && File.Exists(_folder.At("scripts", "jackdaw-update")));

        var again = await MustRunAsync("jackdaw-update", first);
        Assert.Contains("runs already", again, StringComparison.Ordinal);

        var broken = await PackAsync("2", isReady: false);
        var refused = await RunAsync("jackdaw-update", broken);
        Assert.Equal(1, refused.ExitCode);
        Assert.Contains("the old version runs again", refused.Errors, StringComparison.Ordinal);
        Assert.Equal("1", await File.ReadAllTextAsync(_folder.At("root", "current", "Jackdaw.Server")));

        var third = await PackAsync("3", isReady: true);
        await MustRunAsync("jackdaw-update", third);
        Assert.Equal("3", await File.ReadAllTextAsync(_folder.At("root", "current", "Jackdaw.Server")));
    }

    [ProgramFact("jq")]
    public async Task A_package_that_is_not_the_one_that_was_uploaded_changes_nothing()
    {
        var first = await PackAsync("1", isReady: true);
        await MustRunAsync("jackdaw-update", first);
        await PackAsync("2", isReady: true);
        var refused = await RunAsync("jackdaw-update", new string('a', 64));
        Assert.Equal(1, refused.ExitCode);
        Assert.Contains("nothing was changed", refused.Errors, StringComparison.Ordinal);
        Assert.Equal("1", await File.ReadAllTextAsync(_folder.At("root", "current", "Jackdaw.Server")));
        Assert.Equal(2, (await RunAsync("jackdaw-update", "../../etc")).ExitCode);
    }

    [ProgramFact("jq")]
    public async Task Databases_of_a_snapshot_get_new_histories_before_the_server_starts()
    {
        var hash = await PackAsync("1", isReady: true);
        await MustRunAsync("jackdaw-update", hash, "new-history");
        var calls = await File.ReadAllLinesAsync(_folder.At("systemctl"));
        var history = Array.FindIndex(calls, call => call.Contains("new-history --all", StringComparison.Ordinal));
        Assert.InRange(history, Array.IndexOf(calls, "stop jackdaw") + 1, Array.IndexOf(calls, "restart jackdaw") - 1);
    }

    [ProgramFact("mkfs.ext4")]
    public async Task An_empty_disk_gets_a_file_system_and_one_that_has_one_is_kept()
    {
        var disk = _folder.At("disk");
        await File.WriteAllBytesAsync(disk, new byte[8 << 20]);
        await MustRunAsync("jackdaw-disk");
        var made = await File.ReadAllBytesAsync(disk);
        var mounted = await File.ReadAllTextAsync(_folder.At("fstab"));
        Assert.Matches("^UUID=\\S+ \\S+/data ext4 ", mounted);

        await MustRunAsync("jackdaw-disk");

        Assert.Equal(made, await File.ReadAllBytesAsync(disk));
        Assert.Equal(mounted, await File.ReadAllTextAsync(_folder.At("fstab")));
    }

    [ProgramFact("mkfs.ext4")]
    public async Task A_disk_that_is_not_attached_or_not_readable_is_told_and_not_formatted()
    {
        var missing = await RunAsync("jackdaw-disk");
        Assert.Equal(1, missing.ExitCode);
        Assert.Contains("not attached", missing.Errors, StringComparison.Ordinal);

        Directory.CreateDirectory(_folder.At("disk"));
        var unreadable = await RunAsync("jackdaw-disk");
        Assert.Equal(1, unreadable.ExitCode);
        Assert.Contains("nothing was changed", unreadable.Errors, StringComparison.Ordinal);
        Directory.Delete(_folder.At("disk"));

        var foreign = new byte[8 << 20];
        foreign[5 << 20] = 1;
        await File.WriteAllBytesAsync(_folder.At("disk"), foreign);
        var refused = await RunAsync("jackdaw-disk");
        Assert.Equal(1, refused.ExitCode);
        Assert.Contains("nothing was changed", refused.Errors, StringComparison.Ordinal);
        Assert.Equal(foreign, await File.ReadAllBytesAsync(_folder.At("disk")));
    }

    private void WriteSecret(string content) =>
        File.WriteAllText(
            _folder.At("secret"),
            JsonSerializer.Serialize(new { value = Convert.ToBase64String(System.Text.Encoding.UTF8.GetBytes(content)) })
        );

    /// <summary>Makes the package that is downloaded next; returns its hash.</summary>
    private async Task<string> PackAsync(string version, bool isReady)
    {
        var content = _folder.At("content");
        Directory.CreateDirectory(Path.Combine(content, "machine"));
        await File.WriteAllTextAsync(Path.Combine(content, "Jackdaw.Server"), version);
        foreach (var script in Directory.EnumerateFiles(Checkout.At("infra", "machine"), "jackdaw-*"))
            File.Copy(script, Path.Combine(content, "machine", Path.GetFileName(script)), overwrite: true);
        foreach (var unit in Directory.EnumerateFiles(Checkout.At("infra", "systemd"), "jackdaw*"))
            File.Copy(unit, Path.Combine(content, "machine", Path.GetFileName(unit)), overwrite: true);
        await Command.MustAsync("tar", ["--create", "--gzip", "--file", _folder.At("package"), "--directory", content, "."]);
        var hash = Convert.ToHexStringLower(SHA256.HashData(await File.ReadAllBytesAsync(_folder.At("package"))));
        if (isReady)
            await File.AppendAllTextAsync(_folder.At("ready"), _folder.At("root", "versions", hash) + "\n");
        return hash;
    }

    private async Task<string> MustRunAsync(string script, params string[] arguments)
    {
        var command = await RunAsync(script, arguments);
        Assert.True(command.ExitCode == 0, command.All);
        return command.Output;
    }

    private Task<Command> RunAsync(string script, params string[] arguments)
    {
        var fakes = Checkout.At("tests", "Infrastructure.Tests", "Machines", "fakes");
        return Command.RunAsync(
            Checkout.At("infra", "machine", script),
            arguments,
            new Dictionary<string, string>
            {
                ["PATH"] = $"{fakes}:{Environment.GetEnvironmentVariable("PATH")}",
                ["FAKE"] = _folder.Path,
                ["JACKDAW_AZURE_FILE"] = _folder.At("azure"),
                ["JACKDAW_CERTIFICATE_FOLDER"] = _folder.At("certificates"),
                // A group that this user is in.
                ["JACKDAW_GROUP"] = s_group.Value,
                ["JACKDAW_ROOT"] = _folder.At("root"),
                ["JACKDAW_READY_SECONDS"] = "2",
                ["JACKDAW_UNIT_FOLDER"] = _folder.At("units"),
                ["JACKDAW_SCRIPT_FOLDER"] = _folder.At("scripts"),
                ["JACKDAW_DISK_NAMES"] = _folder.At("disk"),
                ["JACKDAW_DISK_TRIES"] = "1",
                ["JACKDAW_DATA_FOLDER"] = _folder.At("data"),
                ["JACKDAW_FSTAB"] = _folder.At("fstab"),
            }
        );
    }
}
