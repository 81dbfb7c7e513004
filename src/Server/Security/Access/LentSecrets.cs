using Jackdaw.Etl.Configuration;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security.Tls;

namespace Jackdaw.Server.Security;

/// <summary>
/// What connection strings may use of the machine: files below one folder, and variables with one prefix. Never the server's own key,
/// certificate, settings and data: an operator, who may write connection strings, would become an administrator with them.
/// </summary>
internal sealed class LentSecrets : IMachineSecrets
{
    private readonly string? _folder;
    private readonly string? _prefix;
    private readonly bool _isSecured;
    private readonly string _data;
    private readonly string[] _own;

    /// <param name="configuration">Names the folder and the prefix, and what is the server's own.</param>
    public LentSecrets(ServerConfiguration configuration)
    {
        _isSecured = configuration.CertificatePath is not null;
        _folder = configuration.SecretsFolder;
        _prefix = configuration.SecretVariablePrefix ?? (_isSecured ? KnownSettings.DefaultSecretVariablePrefix : null);
        _data = configuration.DataDirectory;
        _own =
        [
            .. new[] { configuration.CertificatePath, configuration.CertificateKeyPath }.OfType<string>().Select(Path.GetFullPath),
            .. configuration.SettingsFiles,
        ];
    }

    /// <inheritdoc/>
    public string RequireFile(string path)
    {
        if (_folder is null)
            return _isSecured
                ? throw new RefusedSecretException(
                    $"The file '{path}', which a connection string names, is refused: no folder for secrets is configured. Set "
                        + $"{KnownSettings.SecretsFolder}, below which such files may lie, and start the server again."
                )
                : path;
        if (path.Contains('\0', StringComparison.Ordinal))
            throw new InvalidConfigurationException("The name of a file in a connection string holds the character U+0000.");
        // One name alone is meant as a file below the folder. The kernel finds the same file, since no '..' is left.
        var full = Path.GetFullPath(path, _folder);
        if (ResolvedPath.Of(full) is not { } resolved || !ResolvedPath.IsBelow(resolved, ResolvedPath.Of(_folder) ?? _folder))
            throw new RefusedSecretException(
                $"The file '{path}', which a connection string names, is not below the folder that {KnownSettings.SecretsFolder} names; "
                    + "symbolic links count as where they lead."
            );
        if (IsOwn(resolved))
            throw new RefusedSecretException(
                $"The file '{path}', which a connection string names, is the server's own certificate, key, settings or data."
            );
        return full;
    }

    /// <inheritdoc/>
    public void RequireVariable(string name)
    {
        if (_prefix is null)
            return;
        if (name.StartsWith(SettingValues.EnvironmentPrefix, StringComparison.OrdinalIgnoreCase))
            throw new RefusedSecretException(
                $"The environment variable '{name}', which a connection string names, is refused: variables that begin with "
                    + $"{SettingValues.EnvironmentPrefix} are the server's own settings."
            );
        if (!name.StartsWith(_prefix, StringComparison.Ordinal))
            throw new RefusedSecretException(
                $"The environment variable '{name}', which a connection string names, is refused: its name does not begin with '{_prefix}' "
                    + $"({KnownSettings.SecretVariablePrefix})."
            );
    }

    private bool IsOwn(string resolved)
    {
        if (ResolvedPath.IsBelow(resolved, ResolvedPath.Of(_data) ?? _data))
            return true;
        if (_own.Any(own => ResolvedPath.Of(own) == resolved))
            return true;
        // Another name of the same file, as a hard link or a second mount is, has the same contents; so has a copy.
        return Contents(resolved) is { Length: > 0 } contents && _own.Any(own => Contents(own)?.AsSpan().SequenceEqual(contents) == true);
    }

    /// <summary>Null for what cannot be read, and for what is larger than any file of the server's own.</summary>
    private static byte[]? Contents(string path)
    {
        try
        {
            using var file = File.OpenRead(path);
            return file.Length <= TlsLimits.MaxCertificateFileBytes ? ReadAll(file) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static byte[] ReadAll(FileStream file)
    {
        var contents = new byte[file.Length];
        var length = file.ReadAtLeast(contents, contents.Length, throwOnEndOfStream: false);
        return length == contents.Length ? contents : contents[..length];
    }
}
