using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>Manages the certificates of clients, on the server's own machine:
/// <c>run certificates list|show|admin|client|add|edit|delete</c>. Works on the data folder of a stopped server, and asks the
/// server while it runs.</summary>
internal sealed class CertificatesCommand
{
    private static readonly JsonSerializerOptions s_indented = new()
    {
        WriteIndented = true,
        Converters = { new System.Text.Json.Serialization.JsonStringEnumConverter() },
    };

    private readonly CertificatesCommandLine _line;
    private readonly ICertificateList _certificates;
    private readonly TextReader _input;
    private readonly TextWriter _output;

    private CertificatesCommand(CertificatesCommandLine line, ICertificateList certificates, TextReader input, TextWriter output)
    {
        _line = line;
        _certificates = certificates;
        _input = input;
        _output = output;
    }

    /// <summary>Returns the process's exit code.</summary>
    /// <exception cref="ConfigurationException">The words make no sense, or a setting is wrong.</exception>
    /// <exception cref="RefusedException">What was asked for was refused; nothing has changed.</exception>
    /// <exception cref="StorageException">The data folder cannot be opened or written.</exception>
    /// <exception cref="HttpRequestException">There is no server.</exception>
    public static async Task<int> RunAsync(string[] arguments, TextReader input, TextWriter output)
    {
        if (arguments.Any(argument => argument is "--help" or "-h" or "-?" or "help"))
            return CertificatesHelp.Print(output);
        var line = new CertificatesCommandLine(arguments);
        var (mayMakeFolder, run) = line.Words switch
        {
            ["list"] => (false, (Func<CertificatesCommand, Task>)(command => command.ListAsync())),
            ["show", var which] => (false, command => command.ShowAsync(which)),
            ["admin"] => (true, command => command.GenerateAsync(line.Clearance ?? Clearance.ClusterAdmin)),
            ["client"] => (true, command => command.GenerateAsync(line.Clearance ?? Clearance.ValidUser)),
            ["add", var file] => (true, command => command.AddAsync(file)),
            ["edit", var which] => (false, command => command.EditAsync(which)),
            ["delete", var which] => (false, command => command.DeleteAsync(which)),
            _ => throw new ConfigurationException(
                "Say what is to be done: run certificates list, show, admin, client, add, edit or delete; see run certificates --help."
            ),
        };
        using var certificates = Open(line, mayMakeFolder);
        await run(new CertificatesCommand(line, certificates, input, output));
        return CommandLine.Success;
    }

    /// <summary>The data folder where no server runs on it, else the server.</summary>
    private static ICertificateList Open(CertificatesCommandLine line, bool mayMakeFolder)
    {
        var configuration = line.Server.Read(line.Settings);
        if (line.Server.Url is null && line.Server.Certificate is null && !configuration.RunInMemory)
        {
            var options = configuration.DatabasesOptions();
            if (!mayMakeFolder && !StoppedSystem.IsThere(options))
                throw new RefusedException(
                    $"{options.DataDir} is not the data folder of a server. Name it with --{KnownSettings.DataDir}, "
                        + "or the running server with --url."
                );
            try
            {
                return new StoppedCertificates(configuration, WellKnownAdministrators.Parse(configuration.WellKnownAdminCertificates));
            }
            catch (EnvironmentLockedException)
            {
                // A server runs on it.
            }
        }
        return new ServedCertificates(new ServerClient(configuration, line.Server));
    }

    private async Task ListAsync()
    {
        var all = await _certificates.ListAsync();
        if (_line["--json"])
        {
            await _output.WriteLineAsync(JsonSerializer.Serialize(all, s_indented));
            return;
        }
        var table = new TextTable("NAME", "CLEARANCE", "DATABASES", "EXPIRES", "THUMBPRINT");
        foreach (var one in all)
            table.Add(one.Name, $"{one.Clearance}", Rights(one), Expiry(one), one.Thumbprint);
        foreach (var entry in _certificates.WellKnown)
            table.Add($"({KnownSettings.WellKnownAdminCertificates})", $"{Clearance.ClusterAdmin}", "all", "", entry);
        table.Write(_output);
        await _output.WriteLineAsync(
            all.Count == 0
                ? $"There are no certificates in {_certificates.Place}. 'run certificates admin --name NAME' makes the first "
                    + "administrator's."
                : $"{all.Count.ToString("N0", CultureInfo.InvariantCulture)} in {_certificates.Place}."
        );
    }

    private async Task ShowAsync(string which)
    {
        var all = await _certificates.ListAsync();
        var one = Find(all, which);
        if (_line["--json"])
        {
            await _output.WriteLineAsync(JsonSerializer.Serialize(one, s_indented));
            return;
        }
        await _output.WriteLineAsync($"Name        {ShownName(one)}");
        await _output.WriteLineAsync($"Clearance   {one.Clearance}");
        await _output.WriteLineAsync($"Databases   {Rights(one)}");
        await _output.WriteLineAsync($"Valid       {Time(one.NotBefore)} to {Time(one.NotAfter)} ({Expiry(one)})");
        await _output.WriteLineAsync($"SHA-1       {one.Thumbprint}");
        await _output.WriteLineAsync($"SHA-256     {one.Sha256}");
        await _output.WriteLineAsync($"Public key  pin:{one.Pin}");
        await TellOfSameKeyAsync(all, one.Sha256, one.Pin);
    }

    private async Task GenerateAsync(Clearance clearance)
    {
        var name = _line.Option("--name") ?? throw new ConfigurationException("Say whom the certificate is for: --name NAME.");
        var files = new KeyFiles(_line.Option("--out") ?? GeneratedCertificate.FileName(name));
        var password = Password();
        var now = DateTimeOffset.UtcNow;
        var made = Refusing(() => GeneratedCertificate.Make(name, now, now.AddDays(_line.Days), password));
        // The files first: a certificate whose key was lost would be of no use.
        files.Write(made);
        try
        {
            await _certificates.PutAsync(new NewCertificate(name, clearance, _line.Rights(), made.Certificate));
        }
        catch
        {
            files.Remove();
            throw;
        }
        var thumbprint = CertificateFacts.Thumbprint(made.Certificate);
        await _output.WriteLineAsync($"'{name}' is stored in {_certificates.Place}: {clearance}, thumbprint {thumbprint}.");
        await _output.WriteLineAsync(
            $"{files.Pfx} and {files.Pem} hold the certificate and its key{(password is null ? ", without a password" : "")}."
        );
        await _output.WriteLineAsync(
            "The server has no copy of the key. Give the files to their owner on a safe way, and delete them here."
        );
    }

    private async Task AddAsync(string file)
    {
        byte[] content;
        try
        {
            if (new FileInfo(file) is { Exists: true, Length: > CertificateLimits.MaxUploadBytes and var length })
                throw new RefusedException(
                    $"{file} has {length:N0} bytes; a certificate's file has at most {CertificateLimits.MaxUploadBytes:N0} "
                        + "(CertificateLimits.MaxUploadBytes)."
                );
            content = await File.ReadAllBytesAsync(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new RefusedException($"The certificate cannot be read: {e.Message}", e);
        }
        var password = Password();
        var upload = Refusing(() => CertificateUpload.FromFile(content, password));
        var name = _line.Option("--name") ?? Path.GetFileNameWithoutExtension(file);
        var clearance = _line.Clearance ?? Clearance.ValidUser;
        await _certificates.PutAsync(new NewCertificate(name, clearance, _line.Rights(), upload.Certificate));
        var all = await _certificates.ListAsync();
        var stored = all.Single(one => one.Thumbprint == CertificateFacts.Thumbprint(upload.Certificate));
        await _output.WriteLineAsync($"'{name}' is stored in {_certificates.Place}: {clearance}, thumbprint {stored.Thumbprint}.");
        if (upload.HadPrivateKey)
            await _output.WriteLineAsync("The file holds a private key, too, which was not stored and not sent.");
        await TellOfSameKeyAsync(all, stored.Sha256, stored.Pin);
    }

    private async Task EditAsync(string which)
    {
        var changes = new CertificateEdit
        {
            Name = _line.Option("--name"),
            Clearance = _line.Clearance,
            RightChanges = _line.RightChanges() is { Count: > 0 } rights ? rights : null,
        };
        if (changes is { Name: null, Clearance: null, RightChanges: null })
            throw new ConfigurationException("Say what is to be changed: --name NAME, --clearance CLEARANCE or --database NAME=RIGHT.");
        var one = Find(await _certificates.ListAsync(), which);
        await _certificates.EditAsync(one.Thumbprint, changes);
        // As it is now, with what others have changed meanwhile.
        var changed = Find(await _certificates.ListAsync(), one.Thumbprint);
        await _output.WriteLineAsync(
            $"'{changed.Name}' is changed in {_certificates.Place}: {changed.Clearance}, databases {Rights(changed)}."
        );
    }

    private async Task DeleteAsync(string which)
    {
        var all = await _certificates.ListAsync();
        var one = Find(all, which);
        if (!_line["--yes"])
        {
            await _output.WriteAsync(
                $"'{one.Name}' ({one.Clearance}, thumbprint {one.Thumbprint}) and whoever renewed it lose access at once. Go on? (yes/no) "
            );
            await _output.FlushAsync();
            if (!string.Equals((await _input.ReadLineAsync())?.Trim(), "yes", StringComparison.OrdinalIgnoreCase))
                throw new RefusedException("Nothing was changed.");
        }
        await _certificates.DeleteAsync(one.Thumbprint);
        await _output.WriteLineAsync($"'{one.Name}' is deleted from {_certificates.Place}.");
        await TellOfSameKeyAsync(all, one.Sha256, one.Pin);
    }

    private async Task TellOfSameKeyAsync(IEnumerable<ShownCertificate> all, string sha256, string pin)
    {
        foreach (var other in all.Where(other => other.Pin == pin && other.Sha256 != sha256))
            await _output.WriteLineAsync(
                $"The same key has '{other.Name}' ({other.Clearance}, thumbprint {other.Thumbprint}): its holder has those rights as well."
            );
    }

    private static ShownCertificate Find(IReadOnlyList<ShownCertificate> all, string which)
    {
        var digits = Thumbprints.Normalized(which);
        var found = all.Where(one => one.Thumbprint == digits || one.Sha256 == digits).ToArray();
        if (found.Length == 0)
            found = [.. all.Where(one => one.Name.Equals(which, StringComparison.OrdinalIgnoreCase))];
        return found switch
        {
            [var one] => one,
            [] => throw new RefusedException(
                $"There is no certificate with the name or thumbprint '{which}'. 'run certificates list' shows all."
            ),
            _ => throw new RefusedException(
                $"{found.Length} certificates are named '{which}'. Say which one by its thumbprint: "
                    + string.Join(", ", found.Select(one => one.Thumbprint))
                    + "."
            ),
        };
    }

    /// <summary>Null for none.</summary>
    private string? Password() =>
        _line.Option("--password") switch
        {
            null or "none" or "" => null,
            "asked" => PasswordPrompt.Ask(_input, _output),
            var given => given,
        };

    private static T Refusing<T>(Func<T> make)
    {
        try
        {
            return make();
        }
        catch (CertificateException e)
        {
            throw new RefusedException(e.Message, e);
        }
    }

    private static string ShownName(ShownCertificate one) => one.Name;

    private static string Rights(ShownCertificate one) => one.Clearance >= Clearance.Operator ? "all" : Rights(one.Rights);

    private static string Rights(IReadOnlyDictionary<string, DatabaseRight> rights) =>
        rights.Count == 0
            ? "none"
            : string.Join(", ", rights.OrderBy(one => one.Key, StringComparer.OrdinalIgnoreCase).Select(one => $"{one.Key}={one.Value}"));

    private static string Expiry(ShownCertificate one)
    {
        var days = (one.NotAfter - DateTime.UtcNow).TotalDays;
        return days < 0 ? "expired"
            : days < CertificateLimits.ExpiryWarning.TotalDays
                ? string.Create(CultureInfo.InvariantCulture, $"{one.NotAfter:yyyy-MM-dd}, in {Math.Ceiling(days)} days")
            : one.NotAfter.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
    }

    private static string Time(DateTime utc) => utc.ToString("yyyy-MM-dd HH:mm 'UTC'", CultureInfo.InvariantCulture);
}
