using System.Text;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>Asks for a password: on a terminal twice and without showing it, else a line of standard input.</summary>
internal static class PasswordPrompt
{
    /// <exception cref="RefusedException">The two differ, or there is none.</exception>
    public static string Ask(TextReader input, TextWriter output)
    {
        if (Console.IsInputRedirected)
            return NotEmpty(input.ReadLine());
        var first = NotEmpty(Read(output, "Password of the files: "));
        return first == Read(output, "Once more: ") ? first : throw new RefusedException("The passwords differ. Nothing was made.");
    }

    private static string NotEmpty(string? password) =>
        string.IsNullOrEmpty(password) ? throw new RefusedException("The password is empty. Say --password none for none.") : password;

    private static string Read(TextWriter output, string prompt)
    {
        output.Write(prompt);
        output.Flush();
        var typed = new StringBuilder();
        for (var key = Console.ReadKey(intercept: true); key.Key != ConsoleKey.Enter; key = Console.ReadKey(intercept: true))
        {
            if (key.Key == ConsoleKey.Backspace)
                typed.Length = Math.Max(0, typed.Length - 1);
            else if (!char.IsControl(key.KeyChar))
                typed.Append(key.KeyChar);
        }
        output.WriteLine();
        return typed.ToString();
    }
}
