using System.Globalization;
using System.Text;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents;

/// <summary>The rules of database names, and the folder of each.</summary>
internal static class DatabaseName
{
    /// <summary>Bytes of a folder's name: file systems end at 255.</summary>
    private const int MaxFolderBytes = 240;

    /// <summary>Throws <see cref="InvalidDatabaseNameException"/>.</summary>
    public static void Validate(string? name)
    {
        if (string.IsNullOrWhiteSpace(name))
            throw new InvalidDatabaseNameException("A database needs a name.");
        if (name.Length > Limits.MaxDatabaseNameLength)
            throw new InvalidDatabaseNameException(
                $"A database's name cannot be longer than {Limits.MaxDatabaseNameLength} characters, and this one has {name.Length:N0}."
            );
        foreach (var rune in name.EnumerateRunes())
        {
            if (!Rune.IsLetterOrDigit(rune) && rune.Value is not ('-' or '_' or '.'))
                throw new InvalidDatabaseNameException(
                    $"The database name '{name}' is invalid: only letters, digits, '-', '_' and '.' are allowed."
                );
        }
        RequireOneLowerCase(name);
        if (name[0] == '.' || name[^1] == '.')
            throw new InvalidDatabaseNameException($"The database name '{name}' is invalid: it cannot begin or end with a dot.");
        if (Folder(name).Length > MaxFolderBytes)
            throw new InvalidDatabaseNameException($"The database name '{name}' is too long in its encoded form.");
    }

    /// <summary>
    /// Names are compared by their upper case, and rows and folders are named by their lower case. Two names must be the same to both: the
    /// Kelvin sign has the lower case of K and another upper case, and two forms of sigma have one upper case.
    /// </summary>
    private static void RequireOneLowerCase(string name)
    {
        string lower = name.ToLowerInvariant();
        string lowerOfUpper = name.ToUpperInvariant().ToLowerInvariant();
        if (!name.Equals(lower, StringComparison.OrdinalIgnoreCase) || !lowerOfUpper.Equals(lower, StringComparison.Ordinal))
            throw new InvalidDatabaseNameException(
                $"The database name '{name}' is invalid: it has a letter that shares its upper or lower case with another letter."
            );
    }

    /// <summary>The name in lower case as a folder's name: other characters than <c>a-z 0-9 - _ .</c> as %XX.</summary>
    public static string Folder(string name)
    {
        var folder = new StringBuilder();
        foreach (byte b in Encoding.UTF8.GetBytes(name.ToLowerInvariant()))
        {
            if (b is (>= (byte)'a' and <= (byte)'z') or (>= (byte)'0' and <= (byte)'9') or (byte)'-' or (byte)'_' or (byte)'.')
                folder.Append((char)b);
            else
                folder.Append(CultureInfo.InvariantCulture, $"%{b:X2}");
        }
        return folder.ToString();
    }

    /// <summary>The name, in lower case, whose folder this is; null when no database's folder is called so.</summary>
    public static string? FromFolder(string folder)
    {
        string name = Uri.UnescapeDataString(folder);
        try
        {
            Validate(name);
        }
        catch (InvalidDatabaseNameException)
        {
            return null;
        }
        return Folder(name) == folder ? name : null;
    }
}
